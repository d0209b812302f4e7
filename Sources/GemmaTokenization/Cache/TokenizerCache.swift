public import Foundation

/// Where the tables of large vocabularies are kept, so that the next start maps them instead of reading
/// `tokenizer.json` again.
///
/// One file of about 30 MB per `tokenizer.json`, named after the hash of its content. A file that is damaged or of
/// another version is ignored and written anew; all of them can be deleted at any time. Where nothing can be written,
/// nothing is cached.
public enum TokenizerCache: Sendable, Hashable {
  /// What the environment variable `GEMMA_TOKENIZER_CACHE` says: `off`, or a folder. Without it `swift-gemma` in the
  /// user's folder for caches (on Linux `$XDG_CACHE_HOME` or `~/.cache`).
  case standard
  /// Neither reads nor writes one.
  case off
  /// This folder, which is made where it is missing. One inside the model's folder is not used.
  case folder(URL)

  /// The environment variable that moves the standard cache or switches it off.
  public static let environmentVariable = "GEMMA_TOKENIZER_CACHE"

  /// A smaller file is read about as fast as its cache.
  package static let smallestFile = 1 << 20

  /// The folder for the caches of a model's vocabulary, nil for none: nothing is ever written into a model's folder.
  package func folder(
    for model: URL, environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> URL? {
    let folder: URL? =
      switch self {
      case .off: nil
      case .folder(let url): url
      case .standard:
        switch environment[Self.environmentVariable] ?? "" {
        case "": Self.userFolder(environment)
        case "off": nil
        case let path: URL(filePath: path, directoryHint: .isDirectory)
        }
      }
    guard let folder else { return nil }
    return Self.resolved(folder).starts(with: Self.resolved(model)) ? nil : folder
  }

  /// The components of a path without symbolic links, though its last folders may not exist yet.
  private static func resolved(_ url: URL) -> [String] {
    var existing = url.standardizedFileURL
    var missing: [String] = []
    while existing.pathComponents.count > 1 && !FileManager.default.fileExists(atPath: existing.path) {
      missing.append(existing.lastPathComponent)
      existing.deleteLastPathComponent()
    }
    return existing.resolvingSymlinksInPath().pathComponents + missing.reversed()
  }

  private static func userFolder(_ environment: [String: String]) -> URL? {
    #if os(Linux)
      // By the XDG base directory specification: relative paths do not count.
      if let path = environment["XDG_CACHE_HOME"], path.hasPrefix("/") {
        return URL(filePath: path, directoryHint: .isDirectory).appending(path: "swift-gemma")
      }
      guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
      return URL(filePath: home, directoryHint: .isDirectory).appending(path: ".cache/swift-gemma")
    #else
      return FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?.appending(path: "swift-gemma")
    #endif
  }
}
