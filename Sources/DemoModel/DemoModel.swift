package import Foundation

/// The small Gemma 3n that the command line and the tests carry with them.
package enum DemoModel {
  private static let bundleName = "swift-gemma_DemoModel.resources"

  /// The model folder, or nil when the resource bundle was not shipped beside the executable.
  ///
  /// `Bundle.module` traps in that case, so the places where it looks are tried here.
  package static var folder: URL? {
    let executable = URL(filePath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
    let places = [
      Bundle.main.bundleURL, Bundle.main.resourceURL, executable.deletingLastPathComponent(),
      URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Resources"),
    ]
    return places.compactMap { $0 }.flatMap { [$0.appending(path: bundleName + "/demo"), $0.appending(path: "demo")] }
      .first { FileManager.default.fileExists(atPath: $0.appending(path: "config.json").path) }
  }
}
