package import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file mapped read-only into memory for as long as the object lives.
///
/// The mapping shows the file itself: whoever writes into it changes the bytes seen here, and reading behind a new,
/// earlier end raises SIGBUS, which no library may catch for its client. `checkUnchanged` finds such changes between two
/// uses; one in the middle of a use cannot be found in time. A weight file is replaced safely by renaming a new one onto
/// its name: the mapping keeps the old one alive.
package final class MappedFile: Sendable {
  package let url: URL
  private let descriptor: Int32
  private let version: Version
  // Sendable although a pointer: the mapping is read-only and lives as long as this object.
  nonisolated(unsafe) package let bytes: UnsafeRawBufferPointer

  package init(_ url: URL) throws(GemmaError) {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    let descriptor = open(url.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .fileAccess(url, reason: SystemReason.text()) }
    do throws(GemmaError) {
      let status = try Self.status(descriptor, url)
      guard status.st_mode & S_IFMT == S_IFREG else {
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        throw .fileAccess(url, reason: "expected a regular file, found \(isFolder ? "a folder" : "a device or pipe")")
      }
      bytes = try Self.map(descriptor, Int(status.st_size), url)
      version = Version(status)
    } catch {
      close(descriptor)
      throw error
    }
    self.url = url
    self.descriptor = descriptor
  }

  /// What lies at a place (`S_IFREG`, `S_IFDIR` ...), nil where there is nothing.
  /// - Throws: `.fileAccess` where that cannot be told, for want of permission for instance.
  package static func kind(at url: URL) throws(GemmaError) -> mode_t? {
    var status = stat()
    if stat(url.path, &status) == 0 { return status.st_mode & S_IFMT }
    guard errno == ENOENT || errno == ENOTDIR else { throw .fileAccess(url, reason: SystemReason.text()) }
    return nil
  }

  private static func status(_ descriptor: Int32, _ url: URL) throws(GemmaError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .fileAccess(url, reason: SystemReason.text()) }
    return status
  }

  private static func map(_ descriptor: Int32, _ size: Int, _ url: URL) throws(GemmaError) -> UnsafeRawBufferPointer {
    guard size > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    guard let base = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), base != MAP_FAILED else {
      throw .fileAccess(url, reason: "its \(size) bytes cannot be mapped: \(SystemReason.text())")
    }
    return UnsafeRawBufferPointer(start: base, count: size)
  }

  /// Throws `.malformedFile` where the file's size or modification time is no longer what it was when it was mapped.
  package func checkUnchanged() throws(GemmaError) {
    guard try Version(Self.status(descriptor, url)) == version else {
      throw .malformedFile(
        url, reason: "it was changed while it was in use; load the model again, and replace files by renaming")
    }
  }

  deinit {
    close(descriptor)
    if let base = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: base), bytes.count) }
  }

  /// Tells the system that this range is read row by row, so that it does not read ahead.
  package func adviseRandom(_ range: Range<Int>) {
    guard let base = bytes.baseAddress, !range.isEmpty, range.upperBound <= bytes.count else { return }
    let page = Int(getpagesize())
    let start = range.lowerBound / page * page
    // Advice only: a refusal costs speed, never an answer.
    _ = madvise(UnsafeMutableRawPointer(mutating: base + start), range.upperBound - start, MADV_RANDOM)
  }

  /// Tells the system that these parts of mapped files, in ascending order, are about to be read: it fetches what is
  /// not in memory while other work goes on. Parts on one page or on adjacent ones are named together.
  package static func adviseNeeded(_ parts: some Sequence<UnsafeRawBufferPointer>) {
    let page = UInt(getpagesize())
    var pages: Range<UInt>?
    func advise() {
      guard let pages, let base = UnsafeMutableRawPointer(bitPattern: pages.lowerBound) else { return }
      // Advice only, as above.
      _ = madvise(base, pages.count, MADV_WILLNEED)
    }
    for part in parts where !part.isEmpty {
      let start = UInt(bitPattern: part.baseAddress) / page * page
      let end = UInt(bitPattern: part.baseAddress) + UInt(part.count)
      if let open = pages, open.lowerBound <= start, start <= (open.upperBound + page - 1) / page * page {
        pages = open.lowerBound..<max(open.upperBound, end)
      } else {
        advise()
        pages = start..<end
      }
    }
    advise()
  }
}

/// What tells one state of a file from another.
private struct Version: Hashable {
  let size: Int
  let seconds: Int
  let nanoseconds: Int

  init(_ status: stat) {
    #if canImport(Darwin)
      let modified = status.st_mtimespec
    #else
      let modified = status.st_mtim
    #endif
    size = Int(status.st_size)
    seconds = Int(modified.tv_sec)
    nanoseconds = Int(modified.tv_nsec)
  }
}
