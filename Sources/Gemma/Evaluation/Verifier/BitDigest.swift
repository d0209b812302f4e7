/// FNV-1a over the bits of floats, four bytes at a time.
package struct BitDigest: Sendable {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  package mutating func add(_ values: UnsafeBufferPointer<Float>) {
    for value in values { state = (state ^ UInt64(value.bitPattern)) &* 0x100_0000_01B3 }
  }

  package var text: String { String(state, radix: 16) }
}
