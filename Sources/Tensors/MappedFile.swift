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
}
