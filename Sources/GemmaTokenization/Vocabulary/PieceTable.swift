import GemmaRuntime

/// The pieces of a vocabulary: id to bytes, and bytes to id by an open-addressing hash table.
///
/// All bytes lie in one place: a quarter of a million `String`s would take longer to make than the file to read.
struct PieceTable: Sendable {
  /// Where an id's piece lies in the bytes. An id without a piece has length 0.
  struct Span {
    var start: UInt32
    var length: UInt32
  }

  struct Slot {
    var value: UInt64
    /// 0 is free: no piece is empty.
    var length: UInt32
    var token: TokenID
  }

  // Sendable although pointers: nobody writes to a table that is built, and its tokenizer keeps the memory alive.
  /// The UTF-8 of all pieces.
  nonisolated(unsafe) let bytes: UnsafeBufferPointer<UInt8>
  /// By id.
  nonisolated(unsafe) let spans: UnsafeBufferPointer<Span>
  /// A power of two of them, at least one of them free.
  nonisolated(unsafe) let slots: UnsafeBufferPointer<Slot>
  private let shift: UInt64

  init(
    bytes: UnsafeBufferPointer<UInt8>, spans: UnsafeBufferPointer<Span>, slots: UnsafeBufferPointer<Slot>
  ) {
    self.bytes = bytes
    self.spans = spans
    self.slots = slots
    shift = UInt64(truncatingIfNeeded: 64 - slots.count.trailingZeroBitCount)
  }

  /// The id of the piece of `count` bytes at `text`; at least one.
  @inline(__always)
  func find(_ text: UnsafePointer<UInt8>, _ count: Int) -> TokenID? { find(PieceKey(text, count), text) }

  @inline(__always)
  func find(_ key: PieceKey, _ text: UnsafePointer<UInt8>) -> TokenID? {
    let entry = slots[slot(of: key, text)]
    return entry.length == 0 ? nil : entry.token
  }

  func find(_ text: String) -> TokenID? {
    var text = text
    return text.withUTF8 { buffer in
      guard let base = buffer.baseAddress, !buffer.isEmpty else { return nil }
      return find(base, buffer.count)
    }
  }

  /// The slot that holds a piece, or the free one where it belongs.
  @inline(__always)
  func slot(of key: PieceKey, _ text: UnsafePointer<UInt8>) -> Int {
    let mask = slots.count &- 1
    var slot = firstSlot(key)
    while slots[slot].length != 0 {
      if slots[slot].value == key.value, slots[slot].length == key.length,
        key.isExact || isSpelt(slots[slot].token, text, Int(key.length))
      {
        return slot
      }
      slot = (slot &+ 1) & mask
    }
    return slot
  }

  /// Reads a key's first slot: a later `find` has it in the cache. The result only keeps the read alive.
  @inline(__always)
  func touch(_ key: PieceKey) -> UInt32 { slots[firstSlot(key)].length }

  /// Whether the piece of `id` is the `count` bytes at `text`.
  @inline(__always)
  func isSpelt(_ id: TokenID, _ text: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    let span = spans[Int(id)]
    guard Int(span.length) == count, let base = bytes.baseAddress else { return false }
    let piece = UnsafeRawPointer(base + Int(span.start))
    let text = UnsafeRawPointer(text)
    var offset = 0
    while offset &+ 8 <= count {
      if piece.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        != text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      {
        return false
      }
      offset &+= 8
    }
    while offset < count {
      if piece.load(fromByteOffset: offset, as: UInt8.self) != text.load(fromByteOffset: offset, as: UInt8.self) {
        return false
      }
      offset &+= 1
    }
    return true
  }

  /// The bytes of a piece; empty for an id without one.
  func bytes(of id: TokenID) -> UnsafeBufferPointer<UInt8> {
    let span = spans[Int(id)]
    return UnsafeBufferPointer(rebasing: bytes[Int(span.start)..<Int(span.start) + Int(span.length)])
  }

  func text(of id: TokenID) -> String { String(decoding: bytes(of: id), as: UTF8.self) }

  @inline(__always)
  private func firstSlot(_ key: PieceKey) -> Int { Int(truncatingIfNeeded: key.mixed &>> shift) }
}
