import Foundation
import Tensors
import Testing

@Suite struct MappedFileTests {
  private func temporaryFile(_ bytes: [UInt8]) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appending(path: "mapped-\(UUID().uuidString)")
    try Data(bytes).write(to: url)
    return url
  }

  @Test("a mapping shows the file's bytes, and advice about any range is harmless")
  func bytes() throws {
    let url = try temporaryFile([1, 2, 3, 250])
    defer { try? FileManager.default.removeItem(at: url) }
    let file = try MappedFile(url)
    #expect(Array(file.bytes) == [1, 2, 3, 250])
    file.adviseRandom(1..<4)
    file.adviseRandom(0..<400)
    #expect(Array(file.bytes) == [1, 2, 3, 250])
  }

  @Test("an empty file maps to no bytes")
  func empty() throws {
    let url = try temporaryFile([])
    defer { try? FileManager.default.removeItem(at: url) }
    #expect(try MappedFile(url).bytes.isEmpty)
  }

  @Test("a missing file and a folder are typed errors", arguments: ["no-such-file-here", ""])
  func unreadable(name: String) {
    let url = FileManager.default.temporaryDirectory.appending(path: name)
    #expect(throws: GemmaError.self) { _ = try MappedFile(url) }
  }
}
