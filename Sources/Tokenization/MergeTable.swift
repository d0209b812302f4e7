import Tensors

/// Which pairs of pieces merge, in which order, and into what.
struct MergeTable: Sendable {
  /// The rank of a pair that does not merge: behind all others.
  static let never = UInt32.max

  private struct Slot {
    /// Left id in the upper half, right id in the lower; all ones is free (ids are never negative).
    var pair: UInt64
    var rank: UInt32
    var merged: TokenID
  }

  private var slots: [Slot]
  private let shift: UInt64

  /// Of several merges of one pair the last counts, as in Hugging Face's tokenizers.
  ///
  /// - Parameters:
  ///   - pairs: left id in the upper half, right id in the lower.
  ///   - results: rank in the upper half, merged id in the lower.
  init(pairs: [UInt64], results: [UInt64]) {
    var bits: UInt64 = 4
    while 1 << bits < 2 * pairs.count { bits += 1 }
    shift = 64 - bits
    slots = [Slot](repeating: Slot(pair: .max, rank: Self.never, merged: 0), count: 1 << bits)
    let mask = slots.count - 1
    for (pair, result) in zip(pairs, results) {
      var slot = Self.slot(pair, shift)
      while slots[slot].pair != .max && slots[slot].pair != pair { slot = (slot + 1) & mask }
      slots[slot] = Slot(
        pair: pair, rank: UInt32(truncatingIfNeeded: result >> 32), merged: TokenID(truncatingIfNeeded: result))
    }
  }

  /// The rank of a pair and the piece it merges into; `never` if it does not merge.
  @inline(__always)
  func lookup(_ left: TokenID, _ right: TokenID) -> (rank: UInt32, merged: TokenID) {
    let pair = Self.pair(left, right)
    return slots.withUnsafeBufferPointer { slots in
      let mask = slots.count - 1
      var slot = Self.slot(pair, shift)
      while true {
        let entry = slots[slot]
        if entry.pair == pair || entry.pair == .max { return (entry.rank, entry.merged) }
        slot = (slot + 1) & mask
      }
    }
  }

  @inline(__always)
  static func pair(_ left: TokenID, _ right: TokenID) -> UInt64 {
    UInt64(UInt32(bitPattern: left)) << 32 | UInt64(UInt32(bitPattern: right))
  }

  @inline(__always)
  private static func slot(_ pair: UInt64, _ shift: UInt64) -> Int {
    let mixed = (pair ^ pair >> 32) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: (mixed ^ pair &* 0xD6E8_FEB8_6659_FD93) >> shift)
  }
}
