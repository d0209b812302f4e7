package import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file mapped read-only into memory for as long as the object lives.
package final class MappedFile: Sendable {
  package let url: URL
  // Sendable although a pointer: the mapping is read-only and lives as long as this object.
  nonisolated(unsafe) package let bytes: UnsafeRawBufferPointer

  package init(_ url: URL) throws(GemmaError) {
    let descriptor = open(url.path, O_RDONLY)
    guard descriptor >= 0 else { throw .fileAccess(url, reason: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .fileAccess(url, reason: String(cString: strerror(errno))) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .fileAccess(url, reason: "expected a regular file")
    }
    let size = Int(status.st_size)
    self.url = url
    if size == 0 {
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      return
    }
    guard let base = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), base != MAP_FAILED else {
      throw .fileAccess(url, reason: "mapping failed: \(String(cString: strerror(errno)))")
    }
    bytes = UnsafeRawBufferPointer(start: base, count: size)
  }

  deinit {
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
