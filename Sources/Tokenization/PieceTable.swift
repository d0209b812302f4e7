import Tensors

/// The pieces of a vocabulary: id to bytes, and bytes to id by an open-addressing hash table.
///
/// All bytes lie in one array: a quarter of a million `String`s would take longer to make than the file to read.
struct PieceTable: Sendable {
  /// The UTF-8 of all pieces, in the order of the file.
  var bytes: [UInt8] = []
  /// Where each id's piece starts in `bytes`, and its length. An id without a piece has length 0.
  var starts: [UInt32] = []
  var lengths: [UInt32] = []
  /// Upper half: the piece's hash; lower half: its id + 1. 0 is free.
  private var slots: [UInt64] = []
  private var used = 0

  /// Room for `capacity` pieces with at least half of the slots free.
  init(capacity: Int) {
    var size = 16
    while size < 2 * capacity { size *= 2 }
    slots = [UInt64](repeating: 0, count: size)
  }

  /// Continues a hash over more bytes, so that the hash of two pieces joined needs no copy of both.
  @inline(__always)
  static func hash(_ bytes: UnsafePointer<UInt8>, _ count: Int, from state: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
    var state = state
    for offset in 0..<count { state = (state ^ UInt64(bytes[offset])) &* 0x9E37_79B9_7F4A_7C15 }
    return state
  }

  /// The id of the piece of these bytes. `hash` is that of the same bytes.
  @inline(__always)
  func find(_ text: UnsafePointer<UInt8>, _ count: Int, hash: UInt64) -> TokenID? {
    let mask = slots.count - 1
    var slot = Self.slot(hash) & mask
    let tag = hash >> 32
    return slots.withUnsafeBufferPointer { slots in
      while slots[slot] != 0 {
        if slots[slot] >> 32 == tag {
          let id = Int(UInt32(truncatingIfNeeded: slots[slot])) - 1
          if isEqual(id, text, count) { return TokenID(truncatingIfNeeded: id) }
        }
        slot = (slot + 1) & mask
      }
      return nil
    }
  }

  func find(_ text: String) -> TokenID? {
    var text = text
    return text.withUTF8 { buffer in
      guard let base = buffer.baseAddress, !buffer.isEmpty else { return nil }
      return find(base, buffer.count, hash: Self.hash(base, buffer.count))
    }
  }

  /// Enters the piece of `id`, whose bytes are set already; false if another id has the same bytes.
  mutating func insert(_ id: TokenID) -> Bool {
    if 2 * (used + 1) > slots.count { grow() }
    let start = Int(starts[Int(id)])
    let count = Int(lengths[Int(id)])
    let hash = bytes.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { Self.hash($0 + start, count) } ?? 0
    }
    let found = bytes.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { find($0 + start, count, hash: hash) } ?? nil
    }
    guard found == nil else { return false }
    let mask = slots.count - 1
    var slot = Self.slot(hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = (hash & 0xFFFF_FFFF_0000_0000) | UInt64(UInt32(id) + 1)
    used += 1
    return true
  }

  /// The bytes of a piece; empty for an id without one.
  func withBytes<Result>(of id: TokenID, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let start = Int(starts[Int(id)])
    let count = Int(lengths[Int(id)])
    return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<start + count])) }
  }

  func text(of id: TokenID) -> String {
    withBytes(of: id) { String(decoding: $0, as: UTF8.self) }
  }

  @inline(__always)
  private static func slot(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: (hash ^ hash >> 29) >> 8) & Int.max }

  @inline(__always)
  private func isEqual(_ id: Int, _ text: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    guard Int(lengths[id]) == count else { return false }
    let start = Int(starts[id])
    return bytes.withUnsafeBufferPointer { buffer in
      for offset in 0..<count where buffer[start + offset] != text[offset] { return false }
      return true
    }
  }

  private mutating func grow() {
    let ids = slots.filter { $0 != 0 }.map { TokenID(truncatingIfNeeded: UInt32(truncatingIfNeeded: $0)) - 1 }
    slots = [UInt64](repeating: 0, count: slots.count * 2)
    used = 0
    for id in ids { _ = insert(id) }
  }
}
