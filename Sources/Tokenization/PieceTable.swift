import Tensors

/// The pieces of a vocabulary: id to bytes, and bytes to id by an open-addressing hash table.
///
/// All bytes lie in one array: a quarter of a million `String`s would take longer to make than the file to read.
struct PieceTable: Sendable {
  private struct Slot {
    var value: UInt64 = 0
    /// 0 is free: no piece is empty.
    var length: UInt32 = 0
    var token: TokenID = 0
  }

  /// The UTF-8 of all pieces, in the order of the file.
  var bytes: [UInt8] = []
  /// Where each id's piece starts in `bytes`, and its length. An id without a piece has length 0.
  var starts: [UInt32] = []
  var lengths: [UInt32] = []
  private var slots: [Slot] = []
  private var bits: UInt64 = 4
  private var used = 0

  /// Room for `capacity` pieces with a quarter of the slots or more left free: 8 MB for a real vocabulary.
  init(capacity: Int) {
    while 3 << bits < 4 * capacity { bits += 1 }
    slots = [Slot](repeating: Slot(), count: 1 << bits)
  }

  /// The id of the piece of `count` bytes at `text`; at least one.
  @inline(__always)
  func find(_ text: UnsafePointer<UInt8>, _ count: Int) -> TokenID? { find(PieceKey(text, count), text) }

  @inline(__always)
  func find(_ key: PieceKey, _ text: UnsafePointer<UInt8>) -> TokenID? {
    slots.withUnsafeBufferPointer { slots in
      let mask = slots.count - 1
      var slot = firstSlot(key)
      while slots[slot].length != 0 {
        if slots[slot].value == key.value, slots[slot].length == key.length,
          key.isExact || isEqual(slots[slot].token, text, Int(key.length))
        {
          return slots[slot].token
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
      return find(base, buffer.count)
    }
  }

  /// Reads a key's first slot and drops it: a later `find` has it in the cache. The result only keeps the read alive.
  @inline(__always)
  func touch(_ key: PieceKey) -> UInt32 { slots.withUnsafeBufferPointer { $0[firstSlot(key)].length } }

  /// Enters the piece of `id`, whose bytes are set already; false if another id has the same bytes.
  mutating func insert(_ id: TokenID) -> Bool {
    if 4 * (used + 1) > 3 * slots.count { grow() }
    let start = Int(starts[Int(id)])
    let count = Int(lengths[Int(id)])
    guard count > 0 else { return false }
    let (key, found) = bytes.withUnsafeBufferPointer { buffer in
      let text = UnsafeBufferPointer(rebasing: buffer[start..<start + count])
      guard let base = text.baseAddress else { return (PieceKey?.none, TokenID?.none) }
      let key = PieceKey(base, count)
      return (key, find(key, base))
    }
    guard let key, found == nil else { return false }
    let mask = slots.count - 1
    var slot = firstSlot(key)
    while slots[slot].length != 0 { slot = (slot + 1) & mask }
    slots[slot] = Slot(value: key.value, length: key.length, token: id)
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
  private func firstSlot(_ key: PieceKey) -> Int { Int(truncatingIfNeeded: key.mixed &>> (64 &- bits)) }

  @inline(__always)
  private func isEqual(_ id: TokenID, _ text: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    let start = Int(starts[Int(id)])
    return bytes.withUnsafeBufferPointer { buffer in
      for offset in 0..<count where buffer[start + offset] != text[offset] { return false }
      return true
    }
  }

  private mutating func grow() {
    let ids = slots.filter { $0.length != 0 }.map(\.token)
    bits += 1
    slots = [Slot](repeating: Slot(), count: 1 << bits)
    used = 0
    for id in ids { _ = insert(id) }
  }
}
