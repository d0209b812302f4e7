import GemmaRuntime

/// Which pairs of pieces merge, in which order, and into what: an open-addressing hash table.
struct MergeTable: Sendable {
  /// The rank of a pair that does not merge: behind all others.
  static let never = UInt32.max

  struct Slot {
    /// See `pair`; 0 is free.
    var pair: UInt64
    var rank: UInt32
    var merged: TokenID
  }

  // Sendable although a pointer: nobody writes to a table that is built, and its tokenizer keeps the memory alive.
  /// A power of two of them, at least one of them free.
  nonisolated(unsafe) let slots: UnsafeBufferPointer<Slot>
  private let shift: UInt64

  init(slots: UnsafeBufferPointer<Slot>) {
    self.slots = slots
    shift = UInt64(truncatingIfNeeded: 64 - slots.count.trailingZeroBitCount)
  }

  /// The rank of a pair and the piece it merges into; `never` if it does not merge.
  @inline(__always)
  func lookup(_ left: TokenID, _ right: TokenID) -> (rank: UInt32, merged: TokenID) {
    let entry = slots[slot(of: Self.pair(left, right))]
    return entry.pair == 0 ? (Self.never, 0) : (entry.rank, entry.merged)
  }

  /// The slot that holds a pair, or the free one where it belongs.
  @inline(__always)
  func slot(of pair: UInt64) -> Int {
    let mask = slots.count &- 1
    var slot = firstSlot(pair)
    while slots[slot].pair != pair && slots[slot].pair != 0 { slot = (slot &+ 1) & mask }
    return slot
  }

  /// Reads a pair's first slot: a later look has it in the cache. The result only keeps the read alive.
  @inline(__always)
  func touch(_ pair: UInt64) -> UInt32 { slots[firstSlot(pair)].rank }

  /// One more than the left id in the upper half, the right id in the lower: never 0, as ids are not negative.
  @inline(__always)
  static func pair(_ left: TokenID, _ right: TokenID) -> UInt64 {
    UInt64(UInt32(bitPattern: left) &+ 1) &<< 32 | UInt64(UInt32(bitPattern: right))
  }

  @inline(__always)
  private func firstSlot(_ pair: UInt64) -> Int {
    let mixed = (pair ^ pair &>> 32) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: (mixed ^ pair &* 0xD6E8_FEB8_6659_FD93) &>> shift)
  }
}

extension MergeTable {
  /// Entries whose slots are looked at before any of them is used, so that the reads overlap.
  private static let batchSize = 64

  /// The table of all merges, the readers' stretches one behind the other; half of the slots or more stay free.
  ///
  /// Of several merges of one pair the last counts, as in Hugging Face's tokenizers.
  init(_ readers: [MergeReader], in arena: TableArena) throws(TableArena.Exhausted) {
    var bits = 4
    while 1 << bits < 2 * readers.reduce(0, { $0 + $1.entries.count }) { bits += 1 }
    let slots: UnsafeMutableBufferPointer<Slot> = try arena.allocate(1 << bits)
    self.init(slots: UnsafeBufferPointer(slots))
    let touched: UnsafeMutableBufferPointer<UInt32> = try arena.allocate(1)
    var rank: UInt32 = 0
    for reader in readers {
      for start in stride(from: 0, to: reader.entries.count, by: Self.batchSize) {
        let batch = reader.entries[start..<min(start + Self.batchSize, reader.entries.count)]
        touched[0] = batch.reduce(0) { $0 ^ touch($1.pair) }
        for entry in batch {
          slots[slot(of: entry.pair)] = Slot(pair: entry.pair, rank: entry.rank &+ rank, merged: entry.merged)
        }
      }
      rank &+= reader.count
    }
  }
}
