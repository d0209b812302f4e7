import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The one source of every byte that is not a mapped weight: hands out buffers, keeps freed ones for reuse up to
/// `cacheLimit`, and refuses to have more than `memoryLimit` bytes live.
package final class BufferPool: Sendable {
  package static let shared = BufferPool()

  package struct Counters: Sendable, Hashable {
    /// Bytes in use, kept for reuse, and the most that were in use.
    package var active = 0
    package var cached = 0
    package var peak = 0
    /// Number of buffers in use.
    package var buffers = 0
  }

  private struct State {
    var counters = Counters()
    var cacheLimit = 64 << 20
    var memoryLimit = Int.max
    var free: [Int: [UInt]] = [:]  // size in bytes -> addresses
  }

  private let state = Mutex(State())

  package init() {}

  /// Sizes are whole pages, so that a buffer is fresh from the system (zero pages, not resident until touched).
  package static func rounded(_ byteCount: Int) -> Int {
    let page = 4096
    return (max(byteCount, 1) + page - 1) / page * page
  }

  package var counters: Counters { state.withLock { $0.counters } }

  package var cacheLimit: Int {
    get { state.withLock { $0.cacheLimit } }
    set {
      let dropped = state.withLock { state in
        state.cacheLimit = max(newValue, 0)
        return Self.trim(&state, to: state.cacheLimit)
      }
      Self.release(dropped)
    }
  }

  package var memoryLimit: Int {
    get { state.withLock { $0.memoryLimit } }
    set { state.withLock { $0.memoryLimit = max(newValue, 0) } }
  }

  package func clearCache() {
    Self.release(state.withLock { Self.trim(&$0, to: 0) })
  }

  package func resetPeak() {
    state.withLock { $0.counters.peak = $0.counters.active }
  }

  func take(_ byteCount: Int) throws(GemmaError) -> UnsafeMutableRawPointer {
    let size = Self.rounded(byteCount)
    let taken: Result<UInt?, GemmaError> = state.withLock { state in
      let (required, overflow) = state.counters.active.addingReportingOverflow(size)
      guard !overflow, required <= state.memoryLimit else {
        return .failure(.memoryLimitExceeded(limit: state.memoryLimit, required: overflow ? Int.max : required))
      }
      state.counters.active = required
      state.counters.buffers += 1
      state.counters.peak = max(state.counters.peak, required)
      guard let address = state.free[size]?.popLast() else { return .success(nil) }
      state.counters.cached -= size
      return .success(address)
    }
    if let address = try taken.get(), let base = UnsafeMutableRawPointer(bitPattern: address) { return base }
    let base = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let base, base != MAP_FAILED else {
      let reason = SystemReason.text()
      state.withLock { state in
        state.counters.active -= size
        state.counters.buffers -= 1
      }
      throw .systemLimit(
        "\(size) more bytes of memory are not to be had (\(reason)); lower the context length or raise `ulimit -v`")
    }
    return base
  }

  func give(_ base: UnsafeMutableRawPointer, _ byteCount: Int) {
    let size = Self.rounded(byteCount)
    let keep = state.withLock { state in
      state.counters.active -= size
      state.counters.buffers -= 1
      guard state.counters.cached + size <= state.cacheLimit else { return false }
      state.counters.cached += size
      state.free[size, default: []].append(UInt(bitPattern: base))
      return true
    }
    if !keep { munmap(base, size) }
  }

  private static func trim(_ state: inout State, to limit: Int) -> [(UInt, Int)] {
    var dropped: [(UInt, Int)] = []
    for size in state.free.keys.sorted(by: >) {
      while state.counters.cached > limit, let address = state.free[size]?.popLast() {
        state.counters.cached -= size
        dropped.append((address, size))
      }
      if state.free[size]?.isEmpty == true { state.free[size] = nil }
    }
    return dropped
  }

  private static func release(_ dropped: [(UInt, Int)]) {
    for (address, size) in dropped {
      if let base = UnsafeMutableRawPointer(bitPattern: address) { munmap(base, size) }
    }
  }
}
