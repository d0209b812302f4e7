import BenchSupport
import GemmaKernels

/// Kernels that work element by element on rows that lie in the caches, and those of sampling on one row of logits.
enum ElementCases {
  private static let vocabulary = 262_144

  static func all() -> [Case] {
    var cases: [Case] = []
    for width in [1536, 2048] {
      for rows in [1, 256] { cases.append(norm(width, rows)) }
    }
    for width in [6144, 8192, 12288] {
      for rows in [1, 256] { cases.append(gate(width, rows)) }
    }
    cases += [
      elementwise("gaussian_top_k", 8192) { x, _ in ck_gaussian_top_k(x, 8192, 1.645) },
      elementwise("add_scaled", 2048) { x, y in ck_add_scaled(y, x, x, 0.5, 2048) },
      elementwise("scale", 2048) { x, y in ck_scale(y, x, 0.5, 2048) },
      elementwise("multiply", 2048) { x, y in ck_multiply(y, x, ones, 2048) },
      elementwise("mean_square", 2048) { x, y in y[0] = ck_mean_square(x, 2048) },
      elementwise("altup_predict", 4 * 2048) { x, y in ck_altup_predict(y, x, 2048, x, 2048) },
      elementwise("tanh", 2048) { x, y in ck_tanh(y, x, 2048) },
      elementwise("rope", 8 * 256) { x, y in ck_rope(y, 8, 256, x, x + 128) },
      elementwise("store", 2048) { x, y in ck_store(y, .CK_BF16, x, 2048) },
      elementwise("softmax", 8192) { x, y in ck_softmax(y, x, 8192) },
      elementwise("softcap", vocabulary) { x, y in ck_softcap(y, x, 30, vocabulary) },
      elementwise("softmax", vocabulary) { x, y in ck_softmax(y, x, vocabulary) },
      elementwise("log_sum_exp", vocabulary) { x, y in y[0] = ck_log_sum_exp(x, vocabulary) },
      elementwise("argmax", vocabulary) { x, y in y[0] = Float(ck_argmax(x, vocabulary)) },
      topK(64),
    ]
    return cases
  }

  private static var ones: ck_vector { ck_vector(data: nil, type: .CK_F32, shift: 0) }

  private static func norm(_ width: Int, _ rows: Int) -> Case {
    var random = Random()
    let x = random.floats(rows * width)
    let y = random.floats(rows * width)
    return Case(kernel: "rms_norm", shape: "\(width)", rows: rows, operations: rows * width) { _ in
      Team.forEach(rows) { ck_rms_norm(y, width, x, width, ones, width, 1e-6, $0.lowerBound, $0.upperBound) }
    }
  }

  private static func gate(_ width: Int, _ rows: Int) -> Case {
    var random = Random()
    let x = random.floats(rows * width)
    let y = random.floats(rows * width)
    return Case(kernel: "gelu_gate", shape: "\(width)", rows: rows, operations: rows * width) { _ in
      Team.forEach(rows) {
        ck_gelu_gate(
          y + $0.lowerBound * width, x + $0.lowerBound * width, x + $0.lowerBound * width, $0.count * width)
      }
    }
  }

  /// A kernel on one row, on the calling thread: `body` gets `count` inputs and room for as many outputs.
  private static func elementwise(
    _ name: String, _ count: Int, _ body: @escaping (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>) -> Void
  ) -> Case {
    var random = Random()
    let x = random.floats(count)
    let y = random.floats(count)
    return Case(kernel: name, shape: "\(count)", rows: 1, operations: count) { _ in body(x, y) }
  }

  private static func topK(_ k: Int) -> Case {
    let ids = UnsafeMutablePointer<Int32>.allocate(capacity: k)
    var found = elementwise("top_k", vocabulary) { x, y in _ = ck_top_k(ids, y, k, x, vocabulary) }
    found.shape = "\(k) of \(vocabulary)"
    return found
  }
}
