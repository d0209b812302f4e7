package import Foundation

/// The small models that the command line and the tests carry with them, by the names of their folders.
package enum DemoModel: String, CaseIterable, Sendable {
  /// A Gemma 3n.
  case demo
  /// A Gemma 4; the folder has a subfolder with its drafter.
  case demo4

  private static let bundleName = "swift-gemma_GemmaDemoModel.resources"

  /// The model folder, or nil when the resource bundle was not shipped beside the executable.
  ///
  /// `Bundle.module` traps in that case, so the places where it looks are tried here.
  package var folder: URL? {
    let executable = URL(filePath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
    let places = [
      Bundle.main.bundleURL, Bundle.main.resourceURL, executable.deletingLastPathComponent(),
      URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Resources"),
    ]
    return places.compactMap { $0 }
      .flatMap { [$0.appending(path: "\(Self.bundleName)/\(rawValue)"), $0.appending(path: rawValue)] }
      .first { FileManager.default.fileExists(atPath: $0.appending(path: "config.json").path) }
  }
}
