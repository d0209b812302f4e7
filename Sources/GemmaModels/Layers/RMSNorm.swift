import GemmaKernels
import GemmaRuntime
import GemmaWeights

/// Root mean square normalisation: y = x / sqrt(mean(x²) + eps) * w.
struct RMSNorm: Sendable {
  /// [width]; the shift of Gemma 3 (1 + w) is part of it. Nil for norms without a weight.
  let weight: WeightVector?
  let width: Int
  let epsilon: Float

  /// Normalises `count` consecutive vectors of `width` elements.
  func callAsFunction(_ y: UnsafeMutablePointer<Float>, _ x: UnsafePointer<Float>, count: Int = 1) {
    let weight = weight?.raw ?? ck_vector(data: nil, type: .CK_F32, shift: 0)
    ck_rms_norm(y, width, x, width, weight, width, epsilon, 0, count)
  }

  func callAsFunction(_ y: UnsafeMutablePointer<Float>, count: Int = 1) {
    self(y, UnsafePointer(y), count: count)
  }
}

/// y += x, `count` elements.
func add(_ y: UnsafeMutablePointer<Float>, _ x: UnsafePointer<Float>, _ count: Int) {
  ck_add_scaled(y, y, x, 1, count)
}
