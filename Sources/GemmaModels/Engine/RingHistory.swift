import GemmaWeights

/// What the rings of the sliding layers have lost: how far a timeline can go back.
struct RingHistory {
  private let window: Int
  /// Positions of the smallest ring; nil where there is none.
  private let capacity: Int?
  /// Positions below this may have been written at some time, also by chunks and drafts that were given up later.
  private var writtenEnd = 0

  init(_ model: ModelConfiguration, _ caches: [KeyValueCache?]) {
    window = model.slidingWindow
    capacity = zip(model.layers, caches).compactMap { $0.kind == .sliding ? $1?.capacity : nil }.min()
  }

  mutating func noteWritten(below end: Int) { writtenEnd = max(writtenEnd, end) }

  /// How many of the first `count` tokens can be kept: all of them, or none where a ring has overwritten positions that
  /// the next token would see.
  mutating func rewind(to count: Int) -> Int {
    let oldestSeen = max(0, count - (window - 1))
    let isLost = capacity.map { oldestSeen < writtenEnd - $0 } ?? false
    guard count > 0, !isLost else {
      writtenEnd = 0
      return 0
    }
    return count
  }
}
