import Foundation
import GemmaRuntime
import Testing

#if canImport(Glibc)
  import Glibc
#endif

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

  #if os(Linux)
    @Test("parts that are needed come into memory before they are read, and what lies between stays on the disk")
    func needed() throws {
      let page = Int(getpagesize())
      let url = try temporaryFile([UInt8](repeating: 7, count: 200 * page))
      defer { try? FileManager.default.removeItem(at: url) }
      let descriptor = open(url.path, O_RDONLY)
      defer { close(descriptor) }
      #expect(fsync(descriptor) == 0 && posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0)
      let file = try MappedFile(url)
      file.adviseRandom(0..<file.bytes.count)
      func resident() -> [Bool] {
        var pages = [UInt8](repeating: 0, count: 200)
        let base = UnsafeMutableRawPointer(mutating: file.bytes.baseAddress)
        #expect(base.map { mincore($0, file.bytes.count, &pages) } == 0)
        return pages.map { $0 & 1 == 1 }
      }
      let before = resident()
      // Two parts on one page, one over a page's end, one far away, one empty.
      let parts = [5 * page + 10..<5 * page + 20, 5 * page + 30..<5 * page + 40, 7 * page - 1..<7 * page + 1]
      MappedFile.adviseNeeded(
        (parts + [100 * page..<100 * page, 150 * page..<151 * page]).map {
          UnsafeRawBufferPointer(rebasing: file.bytes[$0])
        })
      let wanted = [5, 6, 7, 150]
      let start = ContinuousClock.now
      while !wanted.allSatisfy({ resident()[$0] }), ContinuousClock.now - start < .seconds(2) { usleep(1000) }
      let after = resident()
      #expect(wanted.allSatisfy { after[$0] })
      // A file system that lives in memory cannot let go of any page.
      if !before.contains(true) { #expect((50..<140).allSatisfy { !after[$0] }) }
    }
  #endif

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

  @Test("a named pipe is refused at once, instead of waiting for a writer")
  func namedPipe() {
    let url = FileManager.default.temporaryDirectory.appending(path: "mapped-\(UUID().uuidString)")
    #expect(mkfifo(url.path, 0o600) == 0)
    defer { unlink(url.path) }
    let error = #expect(throws: GemmaError.self) { _ = try MappedFile(url) }
    #expect(error?.errorDescription?.contains("found a device or pipe") == true)
  }

  @Test("a file that grew, shrank or was written to is found, one that was replaced is not changed")
  func changes() throws {
    for size in [0, 3, 5] {
      let url = try temporaryFile([1, 2, 3, 4])
      defer { unlink(url.path) }
      let file = try MappedFile(url)
      try file.checkUnchanged()
      #expect(truncate(url.path, size) == 0)
      let error = #expect(throws: GemmaError.self) { try file.checkUnchanged() }
      #expect(error?.errorDescription?.contains("changed while it was in use") == true)
    }
    let url = try temporaryFile([1, 2, 3, 4])
    defer { unlink(url.path) }
    let file = try MappedFile(url)
    try FileManager.default.removeItem(at: url)
    try Data([9]).write(to: url)
    try file.checkUnchanged()
    #expect(Array(file.bytes) == [1, 2, 3, 4])
  }
}
