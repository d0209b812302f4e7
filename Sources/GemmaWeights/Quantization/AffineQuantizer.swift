/// MLX's affine rule for one group of weights: w is about scale * code + bias with an unsigned code.
///
/// The end of larger magnitude becomes the bias and so is exact; the scale leads from there to the other end and is
/// adjusted until zero lies on the grid, too. The formula is that of `mx.quantize` (mlx 0.32); codes follow from the
/// unrounded float32 scale and bias, which are rounded to the checkpoint's type afterwards, as there.
package struct AffineQuantizer: Sendable {
  /// 4 or 8.
  package let bits: Int
  /// 32, 64 or 128 neighbours within a row.
  package let group: Int

  var scheme: QuantizationSettings.Scheme { QuantizationSettings.Scheme(bits: bits, group: group) }

  private static let smallestScale: Float = 1e-7

  package init(bits: Int, group: Int) {
    self.bits = bits
    self.group = group
  }

  /// Writes `group * bits / 8` bytes of codes, least significant bits first; nil where the values or their range
  /// are not finite.
  package func quantize(
    _ values: UnsafeBufferPointer<Float>, into codes: UnsafeMutableBufferPointer<UInt8>
  ) -> (scale: Float, bias: Float)? {
    var low = Float.infinity
    var high = -Float.infinity
    var allFinite = true
    for value in values {
      allFinite = allFinite && value.isFinite
      low = value < low ? value : low
      high = value > high ? value : high
    }
    guard allFinite, (high - low).isFinite else { return nil }
    let steps = Float((1 << bits) - 1)
    let lowIsLarger = low.magnitude > high.magnitude
    let width = max((high - low) / steps, Self.smallestScale)
    var scale = lowIsLarger ? width : -width
    var bias: Float = 0
    let edge = lowIsLarger ? low : high
    let edgeCode = (edge / scale).rounded(.toNearestOrEven)
    if edgeCode != 0 {
      scale = edge / edgeCode
      bias = edge
    }
    // 1.5 * 2^23: adding it rounds a small positive float to the nearest whole number, ties to even.
    let rounder: Float = 0x1.8p23
    func code(_ value: Float) -> UInt8 {
      let position = min(max((value - bias) / scale, 0), steps)
      return UInt8(truncatingIfNeeded: (position + rounder).bitPattern)
    }
    if bits == 8 {
      for index in 0..<group { codes[index] = code(values[index]) }
    } else {
      for index in 0..<(group / 2) { codes[index] = code(values[2 * index]) | code(values[2 * index + 1]) << 4 }
    }
    return (scale, bias)
  }
}
