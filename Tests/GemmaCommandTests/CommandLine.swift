import Foundation
import Testing

/// Runs the built `gemma` as a shell would.
struct CommandRun {
  var code: Int32
  var output: String
  var errors: String

  /// The executable lies beside the test bundle.
  static func executable() throws -> URL {
    let places = [Bundle.main.executableURL, URL(filePath: CommandLine.arguments[0])].compactMap { $0 }
    let bundles = Bundle.allBundles.map(\.bundleURL)
    for place in (places + bundles) {
      let candidate = place.deletingLastPathComponent().appending(path: "gemma")
      if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
    }
    throw CocoaError(.fileNoSuchFile)
  }

  init(_ arguments: [String], input: String = "") throws {
    try self.init(Self.executable(), arguments, input: input)
  }

  /// Runs a line of bash in which `$gemma` is the executable.
  init(shell line: String) throws {
    let script = "gemma='\(try Self.executable().path)'\n" + line
    try self.init(URL(filePath: "/bin/bash"), ["-c", script], input: "")
  }

  private init(_ executable: URL, _ arguments: [String], input: String) throws {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    // Files rather than pipes: nothing can block on a full buffer.
    let folder = FileManager.default.temporaryDirectory.appending(path: "gemma-command-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }  // the system tidies its temporary folder
    let files = ["in", "out", "err"].map { folder.appending(path: $0) }
    try Data(input.utf8).write(to: files[0])
    try Data().write(to: files[1])
    try Data().write(to: files[2])
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    process.standardError = try FileHandle(forWritingTo: files[2])
    try process.run()
    process.waitUntilExit()
    code = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    output = String(decoding: try Data(contentsOf: files[1]), as: UTF8.self)
    errors = String(decoding: try Data(contentsOf: files[2]), as: UTF8.self)
  }

  func json() throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
  }
}
