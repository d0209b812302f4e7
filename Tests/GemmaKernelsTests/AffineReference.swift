import GemmaKernels
import Testing

// The canonical arithmetic of ck/product.h once more, written from its text in plain Swift: Int sums, `addingProduct`
// (a fused multiply-add) in ascending groups. The kernels must give these bits.

/// Activations as the quantiser must leave them, values in natural order.
struct ReferenceActivations {
  var values: [Int8] = []
  var scales: [Float] = []
  var sums: [Float] = []

  /// x: [rows, columns], both a multiple of group.
  init(_ x: [Float], group: Int) {
    for start in stride(from: 0, to: x.count, by: group) {
      let block = x[start..<start + group]
      let peak = block.reduce(Float(0)) { max($0, abs($1)) }
      if block.contains(where: { !$0.isFinite }) {
        append(Array(repeating: 0, count: group), scale: .nan)
      } else if peak < 0x1p-116 {
        append(Array(repeating: 0, count: group), scale: 0)
      } else {
        let inverse = 127 / peak
        append(block.map { Int8(($0 * inverse).rounded(.toNearestOrEven)) }, scale: peak / 127)
      }
    }
  }

  private mutating func append(_ block: [Int8], scale: Float) {
    values += block
    scales.append(scale)
    sums.append(scale * Float(block.reduce(0) { $0 + Int($1) }))
  }

  /// The values of rows of `columns` elements in an order of the kernels.
  func ordered(_ order: ck_order, columns: Int) -> [Int8] {
    guard order == .CK_EVEN_ODD else { return values }
    return stride(from: 0, to: values.count, by: columns).flatMap { row in
      stride(from: row, to: row + columns, by: 2).map { values[$0] }
        + stride(from: row + 1, to: row + columns, by: 2).map { values[$0] }
    }
  }
}

/// An affine weight matrix that ends at inaccessible memory, with what it means.
struct AffineWeights {
  let matrix: ck_matrix
  let codes: [UInt8]  // [rows, columns], one element per entry
  let scales: [Float]  // [rows, columns / group]
  let biases: [Float]
  private let memory: [GuardedMemory]

  /// Random weights; `code` replaces the codes. `gap` bytes lie between the end and the inaccessible page, which also
  /// shifts the alignment.
  init(
    rows: Int, columns: Int, type: ck_type, group: Int, scaleType: ck_type = .CK_BF16, gap: Int = 0, seed: UInt64,
    code: UInt8? = nil
  ) throws {
    var generator = SeededGenerator(seed)
    let limit = type == .CK_Q4 ? 15 : 255
    codes = (0..<rows * columns).map { _ in code ?? UInt8(Int.random(in: 0...limit, using: &generator)) }
    let packed =
      type == .CK_Q8 ? codes : stride(from: 0, to: codes.count, by: 2).map { [codes] in codes[$0] | codes[$0 + 1] << 4 }
    let data = try GuardedMemory(bytes: packed.count, gap: gap)
    data.raw.copyMemory(from: packed, byteCount: packed.count)
    let groups = rows * columns / group
    let storedScales = try StoredValues(generator.floats(groups, -0.1...0.1), scaleType, gap: gap)
    let storedBiases = try StoredValues(generator.floats(groups), scaleType, gap: gap)
    (scales, biases) = (storedScales.values, storedBiases.values)
    memory = [data, storedScales.memory, storedBiases.memory]
    matrix = ck_matrix(
      data: UnsafeRawPointer(data.raw), scales: UnsafeRawPointer(storedScales.memory.raw),
      biases: UnsafeRawPointer(storedBiases.memory.raw), rows: rows, columns: columns, stride: columns, group: group,
      type: type,
      scale_type: scaleType)
  }

  /// The canonical product, [rows of x, rows of the matrix].
  func product(_ x: ReferenceActivations) -> [Float] {
    let groups = matrix.columns / matrix.group
    let count = x.values.count / matrix.columns
    return (0..<count).flatMap { i in
      (0..<matrix.rows).map { o in
        var acc: Float = 0
        for g in 0..<groups {
          let w = o * matrix.columns + g * matrix.group
          let v = i * matrix.columns + g * matrix.group
          let sum = (0..<matrix.group).reduce(0) { $0 + Int(codes[w + $1]) * Int(x.values[v + $1]) }
          acc = acc.addingProduct(Float(sum), scales[o * groups + g] * x.scales[i * groups + g])
          acc = acc.addingProduct(biases[o * groups + g], x.sums[i * groups + g])
        }
        return acc
      }
    }
  }

  /// Element (o, k) in Double.
  func value(_ o: Int, _ k: Int) -> Double {
    let at = o * matrix.columns + k
    return Double(scales[at / matrix.group]) * Double(codes[at]) + Double(biases[at / matrix.group])
  }

  var order: ck_order { matrix.type == .CK_Q4 ? .CK_EVEN_ODD : .CK_NATURAL }
}

/// Memory for quantised activations that ends at inaccessible pages.
struct ActivationMemory {
  let values, scales, sums: GuardedMemory
  let activations: ck_activations
  private let rows: Int

  /// `gap` bytes lie between two rows of values.
  init(rows: Int, columns: Int, group: Int, order: ck_order, gap: Int = 0) throws {
    self.rows = rows
    values = try GuardedMemory(bytes: rows * (columns + gap) - gap)
    scales = try GuardedMemory(bytes: 4 * rows * columns / group)
    sums = try GuardedMemory(bytes: 4 * rows * columns / group)
    activations = ck_activations(
      values: values.raw.assumingMemoryBound(to: Int8.self), scales: scales.floats, sums: sums.floats,
      columns: columns, stride: columns + gap, group: group, order: order)
  }

  /// With the contents of a reference.
  init(_ reference: ReferenceActivations, columns: Int, group: Int, order: ck_order, gap: Int = 32) throws {
    try self.init(rows: reference.values.count / columns, columns: columns, group: group, order: order, gap: gap)
    let values = reference.ordered(order, columns: columns)
    for row in 0..<rows {
      (activations.values + row * activations.stride)
        .update(from: Array(values[row * columns..<(row + 1) * columns]), count: columns)
    }
    activations.scales.update(from: reference.scales, count: reference.scales.count)
    activations.sums.update(from: reference.sums, count: reference.sums.count)
  }

  var codes: [Int8] {
    (0..<rows).flatMap {
      UnsafeBufferPointer(start: activations.values + $0 * activations.stride, count: activations.columns)
    }
  }
  var isIntact: Bool { values.isIntact && scales.isIntact && sums.isIntact }
}
