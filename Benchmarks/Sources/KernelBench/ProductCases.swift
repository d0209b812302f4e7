import BenchSupport
import GemmaKernels

/// Matrix products of the E2B models: [outputs, inputs] of their projections.
enum ProductCases {
  private static let shapes = [
    (2048, 1536), (1536, 2048), (2048, 2048),  // attention
    (6144, 1536), (1536, 6144), (12288, 1536), (1536, 12288),  // feed-forward of Gemma 4
    (8192, 2048), (2048, 8192),  // feed-forward of Gemma 3n
  ]
  private static let head = (262_144, 1536)
  private static let rowCounts = [1, 2, 4, 5, 8, 9, 64, 256]

  static func all(_ region: Region) -> [Case] {
    var cases: [Case] = []
    for (bits, group) in [(4, 64), (8, 32), (8, 64)] {
      for rows in rowCounts {
        let fitting = rows <= 9 ? shapes + [head] : shapes
        cases += fitting.compactMap { affine(bits, group, $0.0, $0.1, rows, region) }
      }
    }
    for rows in rowCounts {
      cases += [float("float_product", 2048, 1536, rows, region, ck_float_product)].compactMap(\.self)
      cases += [float("blas_product", 2048, 1536, rows, region, ck_blas_product)].compactMap(\.self)
    }
    for width in [1536, 2048, 12288] {
      for rows in [1, 256] { cases.append(quantise(width, rows)) }
    }
    if let gather = gather(8960, region) { cases.append(gather) }
    return cases
  }

  private static func affine(
    _ bits: Int, _ group: Int, _ outputs: Int, _ inputs: Int, _ rows: Int, _ region: Region
  ) -> Case? {
    guard let weights = ColdMatrix(outputs, inputs, bits: bits, group: group, in: region) else { return nil }
    let activations = ck_activations.random(rows: rows, columns: inputs, bits: bits, group: group)
    let y = UnsafeMutablePointer<Float>.allocate(capacity: outputs * rows)
    return Case(
      kernel: "quantized_product", shape: "q\(bits)g\(group) \(outputs)x\(inputs)", rows: rows,
      coldBytes: weights.bytes, operations: outputs * inputs * rows, unit: .multiplyAdds, isInteger: true
    ) { call in
      let matrix = weights[call]
      inBlocks(outputs) { ck_quantized_product(y, outputs, matrix, activations, rows, $0, $1) }
    }
  }

  private typealias FloatProduct =
    @convention(c) (
      UnsafeMutablePointer<Float>?, Int, ck_matrix, UnsafePointer<Float>?, Int, Int, Int, Int
    ) -> Void

  private static func float(
    _ name: String, _ outputs: Int, _ inputs: Int, _ rows: Int, _ region: Region, _ product: FloatProduct
  ) -> Case? {
    guard let weights = ColdMatrix(outputs, inputs, bits: 16, group: 0, in: region) else { return nil }
    var random = Random()
    let x = random.floats(rows * inputs)
    let y = UnsafeMutablePointer<Float>.allocate(capacity: outputs * rows)
    return Case(
      kernel: name, shape: "bf16 \(outputs)x\(inputs)", rows: rows, coldBytes: weights.bytes,
      operations: outputs * inputs * rows, unit: .multiplyAdds
    ) { call in
      let matrix = weights[call]
      inBlocks(outputs) { product(y, outputs, matrix, x, inputs, rows, $0, $1) }
    }
  }

  private static func quantise(_ width: Int, _ rows: Int) -> Case {
    var random = Random()
    let x = random.floats(rows * width)
    let out = ck_activations(rows: rows, columns: width, bits: 4, group: 64)
    return Case(kernel: "quantize_activations", shape: "g64 \(width)", rows: rows, operations: rows * width) { _ in
      Team.forEach(rows) { ck_quantize_activations(out, x, width, $0.lowerBound, $0.upperBound) }
    }
  }

  /// Rows of the per-layer embeddings.
  private static func gather(_ width: Int, _ region: Region) -> Case? {
    let rows = 32_768
    let count = 256
    guard let weights = ColdMatrix(rows, width, bits: 4, group: 64, in: region) else { return nil }
    var random = Random()
    let ids = UnsafeMutablePointer<Int32>.allocate(capacity: 64 * count)
    for index in 0..<64 * count { ids[index] = Int32(random.next() >> 33 % UInt64(rows)) }
    let out = UnsafeMutablePointer<Float>.allocate(capacity: count * width)
    return Case(
      kernel: "gather_rows", shape: "q4g64 \(rows)x\(width)", rows: count, coldBytes: weights.bytes / rows * count,
      operations: count * width
    ) { call in
      let chosen = ids + call % 64 * count
      Team.forEach(count) {
        ck_gather_rows(out + $0.lowerBound * width, width, weights[0], chosen + $0.lowerBound, $0.count, 0, width, 1)
      }
    }
  }

  /// Output rows in blocks of 32, two at least to a share: as the models split a product.
  private static func inBlocks(_ outputs: Int, _ body: (_ begin: Int, _ end: Int) -> Void) {
    Team.forEach(outputs / 32, grain: 2) { body($0.lowerBound * 32, $0.upperBound * 32) }
  }
}
