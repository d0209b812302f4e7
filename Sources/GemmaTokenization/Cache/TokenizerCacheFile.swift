import Foundation
import GemmaRuntime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The cached tables of one `tokenizer.json`.
struct TokenizerCacheFile {
  let url: URL
  private let folder: URL
  private let source: ContentHash
  private let sourceSize: Int

  /// Unfinished files of writers that died are removed after this many seconds.
  private static let patience: TimeInterval = 3600
  private static let unfinished = "partial"

  /// - Parameter bytes: Of the `tokenizer.json`.
  init(in folder: URL, for bytes: UnsafeRawBufferPointer) {
    self.folder = folder
    source = ContentHash(bytes)
    sourceSize = bytes.count
    url = folder.appending(path: "\(source.name).tokenizer")
  }

  /// The tables, mapped; nil if there are none or none that can be trusted.
  func load() -> TokenizerTables? {
    var status = stat()
    // Anything but one's own plain file, such as a pipe, is not even opened.
    guard lstat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
      return nil
    }
    do {
      return try TokenizerImage.tables(in: MappedFile(url), source: source, sourceSize: sourceSize)
    } catch {
      return nil  // Whatever is wrong with it: the file is read instead, and the cache written anew.
    }
  }

  /// Writes a new file beside the old one and puts it in its place, so that readers and other writers see whole files.
  ///
  /// - Throws: `GemmaError.fileAccess`, after which nothing has changed.
  func store(_ tables: TokenizerTables) throws {
    let arena = TableArena()
    defer { withExtendedLifetime(arena) {} }
    let image = try TokenizerImage.make(of: tables, source: source, sourceSize: sourceSize, in: arena)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    removeUnfinished()
    let suffix = String(UInt64.random(in: 0 ... .max), radix: 36)
    let partial = folder.appending(path: "\(source.name).\(getpid())-\(suffix).\(Self.unfinished)")
    do {
      try Self.store(image, to: partial)
      guard rename(partial.path, url.path) == 0 else { throw Self.fault(url) }
    } catch {
      unlink(partial.path)
      throw error
    }
  }

  private static func store(_ image: UnsafeRawBufferPointer, to url: URL) throws(GemmaError) {
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw fault(url) }
    var rest = image[...]
    while !rest.isEmpty {
      let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else {
        let fault = fault(url)
        close(descriptor)
        throw fault
      }
      rest = rest.dropFirst(written)
    }
    guard close(descriptor) == 0 else { throw fault(url) }
  }

  private static func fault(_ url: URL) -> GemmaError { .fileAccess(url, reason: String(cString: strerror(errno))) }

  private func removeUnfinished() {
    let key = URLResourceKey.contentModificationDateKey
    // What cannot be listed or removed is left alone: it takes room, nothing else.
    let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [key])) ?? []
    for file in files where file.pathExtension == Self.unfinished {
      guard let date = try? file.resourceValues(forKeys: [key]).contentModificationDate,
        date < Date(timeIntervalSinceNow: -Self.patience)
      else { continue }
      unlink(file.path)
    }
  }
}
