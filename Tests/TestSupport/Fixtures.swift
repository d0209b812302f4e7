package import Foundation

/// Places of the files that tests read, found from this source file: fixtures are not resources.
package enum Fixtures {
  /// The package's own folder.
  package static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// `Tests/Fixtures`.
  package static let folder = root.appending(path: "Tests/Fixtures")

  /// The bundled demo model.
  package static let demo = root.appending(path: "Sources/DemoModel/Resources/demo")

  /// The second bundled demo model, a Gemma 4.
  package static let demo4 = root.appending(path: "Sources/DemoModel/Resources/demo4")

  /// The small random models with expectations, sorted by name.
  package static func models() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder.appending(path: "models"), includingPropertiesForKeys: nil)
      .filter { FileManager.default.fileExists(atPath: $0.appending(path: "config.json").path) }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  /// A fixture drafter's folder.
  package static func drafter(_ name: String) -> URL { folder.appending(path: "drafters/\(name)") }

  /// A fixture model's folder.
  package static func model(_ name: String) -> URL { folder.appending(path: "models/\(name)") }

  /// The folder of an unsliced Gemma 3n of 35 layers with the numbers of its MatFormer slices.
  package static func slice(_ name: String) -> URL { folder.appending(path: "slices/\(name)") }

  /// Large files that a clone does not have: `GEMMA_TEST_DATA`, or `../shared/data` beside the package.
  package static let testData: URL =
    if let path = ProcessInfo.processInfo.environment["GEMMA_TEST_DATA"] {
      URL(filePath: path)
    } else {
      root.deletingLastPathComponent().appending(path: "shared/data")
    }

  /// A file of `testData`, or nil where this machine does not have it: then the test is skipped.
  package static func testData(_ path: String) -> URL? {
    let url = testData.appending(path: path)
    return FileManager.default.fileExists(atPath: url.path) ? url : nil
  }

  /// A fresh folder that is removed when the body returns.
  package static func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "gemma-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }  // a left-over folder of the system's temporary place harms nothing
    return try body(folder)
  }
}
