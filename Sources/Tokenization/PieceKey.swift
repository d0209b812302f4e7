/// What the hash table knows of a piece's bytes: the bytes themselves if they are eight or fewer, else their hash.
///
/// Most pieces are short, so that most comparisons need no look at the bytes elsewhere in memory.
struct PieceKey {
  var value: UInt64
  var length: UInt32

  /// - Parameter count: At least 1.
  @inline(__always)
  init(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
    length = UInt32(truncatingIfNeeded: count)
    let raw = UnsafeRawPointer(bytes)
    if count >= 8 {
      // For eight bytes this loop does not run.
      var state: UInt64 = 0
      var offset = 0
      while offset + 8 < count {
        state = Self.mix(state ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        offset += 8
      }
      value = state ^ raw.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    } else if count >= 4 {
      let head = UInt64(raw.loadUnaligned(as: UInt32.self))
      let tail = UInt64(raw.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
      value = head | tail &<< UInt64(truncatingIfNeeded: 8 &* (count &- 4))
    } else {
      let middle = count / 2
      let last = count - 1
      value =
        UInt64(bytes[0]) | UInt64(bytes[middle]) &<< UInt64(truncatingIfNeeded: 8 &* middle)
        | UInt64(bytes[last]) &<< UInt64(truncatingIfNeeded: 8 &* last)
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
}
