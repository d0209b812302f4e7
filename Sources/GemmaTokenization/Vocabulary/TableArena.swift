#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The memory of a vocabulary's tables while and after they are built: zeroed, and freed as a whole.
///
/// Pages become memory when they are written, so that a generous capacity costs nothing.
final class TableArena: @unchecked Sendable {
  // Sendable although it changes: only the loader allocates, before anyone else sees the arena.
  private var regions: [UnsafeMutableRawBufferPointer] = []

  /// The system has no memory left.
  struct Exhausted: Error {
    let byteCount: Int
  }

  /// From this size on, large pages save more time in page faults than they waste memory.
  private static let largeRegion = 1 << 22

  deinit {
    for region in regions { munmap(region.baseAddress, region.count) }
  }

  /// `count` values, all bytes zero.
  func allocate<Element: BitwiseCopyable>(
    _ count: Int, of: Element.Type = Element.self
  ) throws(Exhausted) -> UnsafeMutableBufferPointer<Element> {
    guard count > 0 else { return UnsafeMutableBufferPointer(start: nil, count: 0) }
    let (byteCount, overflows) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
    guard !overflows, let base = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      base != MAP_FAILED
    else { throw Exhausted(byteCount: byteCount) }
    regions.append(UnsafeMutableRawBufferPointer(start: base, count: byteCount))
    #if os(Linux)
      // Advice only: a refusal costs speed, never an answer.
      if byteCount >= Self.largeRegion { _ = madvise(base, byteCount, MADV_HUGEPAGE) }
    #endif
    return UnsafeMutableBufferPointer(start: base.bindMemory(to: Element.self, capacity: count), count: count)
  }

  /// A copy of `values` that lives as long as the arena.
  func copy<Element: BitwiseCopyable>(_ values: [Element]) throws(Exhausted) -> UnsafeBufferPointer<Element> {
    let memory = try allocate(values.count, of: Element.self)
    _ = memory.initialize(from: values)
    return UnsafeBufferPointer(memory)
  }
}
