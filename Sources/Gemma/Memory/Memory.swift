import GemmaRuntime

/// What this process holds beside the mapped weights, and how much it may hold. All numbers are bytes.
///
/// Every activation and every key/value cache comes from one pool; weights are mapped file pages and not counted.
public enum Memory {
  /// The most that freed buffers may keep for reuse. Lowering it releases at once.
  public static var cacheLimit: Int {
    get { BufferPool.shared.cacheLimit }
    set { BufferPool.shared.cacheLimit = newValue }
  }

  /// The most that may be in use; an allocation beyond it throws ``GemmaError/memoryLimitExceeded(limit:required:)``.
  public static var memoryLimit: Int {
    get { BufferPool.shared.memoryLimit }
    set { BufferPool.shared.memoryLimit = newValue }
  }

  /// Bytes in use now.
  public static var activeMemory: Int { BufferPool.shared.counters.active }

  /// Bytes kept for reuse now.
  public static var cacheMemory: Int { BufferPool.shared.counters.cached }

  /// The highest `activeMemory` since the start or since `resetPeakMemory()`.
  public static var peakMemory: Int { BufferPool.shared.counters.peak }

  /// All three counters at one instant.
  public static func snapshot() -> Snapshot {
    let counters = BufferPool.shared.counters
    return Snapshot(activeMemory: counters.active, cacheMemory: counters.cached, peakMemory: counters.peak)
  }

  /// Gives everything that is kept for reuse back to the system.
  public static func clearCache() { BufferPool.shared.clearCache() }

  /// Starts a new measurement of `peakMemory` at the present use.
  public static func resetPeakMemory() { BufferPool.shared.resetPeak() }

  /// The counters at one instant, in bytes.
  public struct Snapshot: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Bytes in use.
    public var activeMemory: Int
    /// Bytes kept for reuse.
    public var cacheMemory: Int
    /// The highest use so far.
    public var peakMemory: Int

    /// This snapshot less an earlier one.
    public func delta(_ earlier: Snapshot) -> Snapshot {
      Snapshot(
        activeMemory: activeMemory - earlier.activeMemory, cacheMemory: cacheMemory - earlier.cacheMemory,
        peakMemory: peakMemory - earlier.peakMemory)
    }

    /// The counters for a log.
    public var description: String {
      "\(activeMemory) bytes in use, \(cacheMemory) kept for reuse, at most \(peakMemory) in use"
    }
  }
}
