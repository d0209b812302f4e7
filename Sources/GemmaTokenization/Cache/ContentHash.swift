/// 128 bits that tell contents apart and show damage. No defence against someone who looks for two contents of one hash.
package struct ContentHash: Hashable, Sendable, BitwiseCopyable {
  package let low: UInt64
  package let high: UInt64

  private static let keys: (UInt64, UInt64, UInt64, UInt64) = (
    0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93, 0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB
  )
  private static let stepSize = 64

  init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// Four lanes of two words each, so that the multiplications overlap: as fast as memory.
  package init(_ bytes: UnsafeRawBufferPointer) {
    var lanes = Self.keys
    let whole = bytes.count / Self.stepSize * Self.stepSize
    for start in stride(from: 0, to: whole, by: Self.stepSize) { Self.absorb(bytes, start, into: &lanes) }
    if whole < bytes.count {
      var rest = SIMD64<UInt8>()
      for offset in whole..<bytes.count { rest[offset - whole] = bytes[offset] }
      withUnsafeBytes(of: rest) { Self.absorb($0, 0, into: &lanes) }
    }
    let length = UInt64(bytes.count)
    let left = Self.fold(lanes.0 ^ length, lanes.1 ^ Self.keys.2)
    let right = Self.fold(lanes.2 ^ Self.keys.0, lanes.3 ^ length)
    low = Self.fold(left ^ Self.keys.1, right ^ Self.keys.3)
    high = Self.fold(left &+ lanes.2 ^ Self.keys.0, right &+ lanes.0 ^ Self.keys.2)
  }

  /// 32 hexadecimal digits.
  package var name: String {
    [high, low].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  @inline(__always)
  private static func absorb(
    _ bytes: UnsafeRawBufferPointer, _ start: Int, into lanes: inout (UInt64, UInt64, UInt64, UInt64)
  ) {
    func pair(_ index: Int) -> UInt64 {
      fold(
        bytes.loadUnaligned(fromByteOffset: start &+ 16 &* index, as: UInt64.self) ^ keys.0,
        bytes.loadUnaligned(fromByteOffset: start &+ 16 &* index &+ 8, as: UInt64.self) ^ keys.1)
    }
    // The product depends on the order of the steps, and is odd so that no bit of the lane is lost.
    lanes.0 = (lanes.0 &+ pair(0)) &* keys.3
    lanes.1 = (lanes.1 &+ pair(1)) &* keys.3
    lanes.2 = (lanes.2 &+ pair(2)) &* keys.3
    lanes.3 = (lanes.3 &+ pair(3)) &* keys.3
  }

  @inline(__always)
  private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
