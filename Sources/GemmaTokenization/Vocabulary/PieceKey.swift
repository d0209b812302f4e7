/// What the hash table knows of a piece's bytes: the bytes themselves if they are eight or fewer, else their hash.
///
/// Most pieces are short, so that most comparisons need no look at the bytes elsewhere in memory.
struct PieceKey {
  let value: UInt64
  let length: UInt32

  /// - Parameter count: At least 1.
  @inline(__always)
  init(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
    if count >= 8 {
      self.init(padded: bytes, count)
    } else {
      var head: UInt64 = 0
      for offset in 0..<count { head |= UInt64(bytes[offset]) &<< UInt64(truncatingIfNeeded: 8 &* offset) }
      self.init(head: head, bytes, count)
    }
  }

  /// The same key, read faster: at least eight bytes must be readable, whatever `count` is.
  @inline(__always)
  init(padded bytes: UnsafePointer<UInt8>, _ count: Int) {
    self.init(head: Self.word(bytes, 0), bytes, count)
  }

  @inline(__always)
  private init(head: UInt64, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
    length = UInt32(truncatingIfNeeded: count)
    if count <= 8 {
      value = head & UInt64.max &>> UInt64(truncatingIfNeeded: 64 &- 8 &* count)
    } else {
      var state = Self.mix(head)
      var offset = 8
      while offset + 8 < count {
        state = Self.mix(state ^ Self.word(bytes, offset))
        offset += 8
      }
      value = state ^ Self.word(bytes, count - 8)
    }
  }

  /// Whether equal keys mean equal bytes.
  @inline(__always)
  var isExact: Bool { length <= 8 }

  /// A well-mixed number from which slots are taken.
  @inline(__always)
  var mixed: UInt64 { Self.mix(value ^ UInt64(length) &<< 56) }

  @inline(__always)
  private static func mix(_ value: UInt64) -> UInt64 {
    let product = value &* 0x9E37_79B9_7F4A_7C15
    return (product ^ product >> 32) &* 0xD6E8_FEB8_6659_FD93
  }

  /// Eight bytes, the first in the lowest place.
  @inline(__always)
  private static func word(_ bytes: UnsafePointer<UInt8>, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
