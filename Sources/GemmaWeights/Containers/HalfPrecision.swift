/// IEEE binary16, bit by bit: Swift has no Float16 on Intel Macs.
enum HalfPrecision {
  static func float(_ bits: UInt16) -> Float {
    let sign = UInt32(bits & 0x8000) << 16
    let exponent = UInt32(bits >> 10 & 0x1F)
    let fraction = UInt32(bits & 0x3FF)
    switch exponent {
    case 0:  // zero and subnormal: fraction * 2^-24, exact in float32
      let magnitude = Float(fraction) * 0x1p-24
      return sign == 0 ? magnitude : -magnitude
    case 31: return Float(bitPattern: sign | 0x7F80_0000 | fraction << 13)
    default: return Float(bitPattern: sign | (exponent + 112) << 23 | fraction << 13)
    }
  }

  /// The nearest binary16, ties to even; from 65520 on infinity. `value` is not NaN.
  static func bits(_ value: Float) -> UInt16 {
    let sign = UInt16(truncatingIfNeeded: value.bitPattern >> 16) & 0x8000
    let magnitude = value.magnitude
    if magnitude >= 65520 { return sign | 0x7C00 }
    if magnitude < 0x1p-14 {  // subnormal: a whole number of 2^-24
      return sign | UInt16((magnitude * 0x1p24).rounded(.toNearestOrEven))
    }
    let bits = magnitude.bitPattern - (112 << 23)
    return sign | UInt16(truncatingIfNeeded: (bits + 0xFFF + (bits >> 13 & 1)) >> 13)
  }
}

/// bfloat16: the upper half of a float32.
enum BrainFloat {
  static func float(_ bits: UInt16) -> Float { Float(bitPattern: UInt32(bits) << 16) }

  /// The nearest bfloat16, ties to even. `value` is not NaN.
  static func bits(_ value: Float) -> UInt16 {
    let bits = value.bitPattern
    return UInt16(truncatingIfNeeded: (UInt64(bits) + 0x7FFF + UInt64(bits >> 16 & 1)) >> 16)
  }
}
