import Foundation
import GemmaRuntime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A new folder that is filled under a hidden name beside its own and takes that as the last step.
///
/// While it exists it holds a lock that the system releases with the process, however that ends. Folders without such a
/// lock were left by a process that was killed; the next folder of the same name removes them.
/// Every error is a `.fileAccess` of the destination, so that callers can tell writing from reading.
final class PartialFolder {
  let url: URL
  private let destination: URL
  private let lock: Int32

  init(for destination: URL) throws(GemmaError) {
    guard !Self.exists(destination) else {
      throw .fileAccess(destination, reason: "it exists already; name a new folder or remove this one")
    }
    Self.removeAbandoned(of: destination)
    // Another process may take a folder for abandoned between its making and its locking: then the next one is tried.
    for _ in 0..<8 {
      let url = destination.deletingLastPathComponent()
        .appendingPathComponent(Self.prefix(of: destination) + UUID().uuidString)
      guard mkdir(url.path, 0o777) == 0 else { throw Self.failure(destination) }
      if let lock = Self.lock(url) {
        self.url = url
        self.destination = destination
        self.lock = lock
        return
      }
    }
    throw .fileAccess(destination, reason: "another process keeps removing the folder it is written to; try again")
  }

  deinit { close(lock) }

  func file(_ name: String) throws(GemmaError) -> OutputFile {
    try OutputFile(url.appendingPathComponent(name), for: destination)
  }

  /// Gives the folder its final name.
  func commit() throws(GemmaError) {
    // Renaming would silently replace an empty folder that was made in the meantime.
    guard !Self.exists(destination) else {
      throw .fileAccess(destination, reason: Self.taken)
    }
    // Names reach the disk before the promise that they exist.
    guard fsync(lock) == 0, rename(url.path, destination.path) == 0 else { throw Self.failure(destination) }
  }

  func discard() { Self.remove(url) }

  static func failure(_ destination: URL) -> GemmaError {
    let code = errno
    let reason =
      switch code {
      case ENOENT: "the folder it should lie in does not exist; make that first or name another"
      case ENOTEMPTY: taken
      default: SystemReason.text(code)
      }
    return .fileAccess(destination, reason: reason)
  }

  private static let taken = "it was made by someone else in the meantime; name a new folder"

  private static func exists(_ url: URL) -> Bool {
    var status = stat()
    return lstat(url.path, &status) == 0
  }

  private static func prefix(of destination: URL) -> String { ".\(destination.lastPathComponent).partial-" }

  /// The descriptor that holds the lock; nil where another process has it or the folder is gone again.
  private static func lock(_ url: URL) -> Int32? {
    let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    // On a file system without locks nobody can take the folder for abandoned either.
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK {
      var (held, named) = (stat(), stat())
      if fstat(descriptor, &held) == 0, lstat(url.path, &named) == 0, held.st_ino == named.st_ino { return descriptor }
    }
    close(descriptor)
    return nil
  }

  private static func removeAbandoned(of destination: URL) {
    let parent = destination.deletingLastPathComponent()
    let prefix = prefix(of: destination)
    // A parent that cannot be listed may still take a new folder.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
    for name in names where name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil {
      let url = parent.appendingPathComponent(name)
      let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { remove(url) }
      close(descriptor)
    }
  }

  /// What cannot be removed stays under its hidden name, for the next one to try again.
  private static func remove(_ url: URL) { try? FileManager.default.removeItem(at: url) }
}
