import GemmaKernels
import Testing

@Suite("Products of quantised activations with affine weights")
struct AffineProductTests {
  static let layouts: [AffineLayout] = [ck_type.CK_Q4, .CK_Q8].flatMap { type in
    [32, 64, 128].flatMap { group in
      [ck_type.CK_BF16, .CK_F16, .CK_F32].map { AffineLayout(type: type, group: group, scaleType: $0) }
    }
  }

  /// The product on the current level, range by range; what lies between and behind the rows must stay as it was.
  private func product(_ w: AffineWeights, _ x: ActivationMemory, rows: Int, cuts: [Int] = [], padding: Int = 0) throws
    -> [Float]
  {
    let n = w.matrix.rows
    let stride = n + padding
    let y = try GuardedMemory(bytes: 4 * (rows * stride - padding))
    y.fill(7)
    let ends = cuts.sorted() + [n]
    for (begin, end) in zip([0] + ends, ends).reversed() {
      ck_quantized_product(y.floats, stride, w.matrix, x.activations, rows, begin, end)
    }
    #expect(y.isIntact && x.isIntact)
    let all = y.floatArray()
    #expect(all.indices.allSatisfy { $0 % stride < n || all[$0] == 7 })
    return all.indices.filter { $0 % stride < n }.map { all[$0] }
  }

  private func activations(_ generator: inout SeededGenerator, rows: Int, _ w: AffineWeights) throws
    -> (ReferenceActivations, ActivationMemory)
  {
    let reference = ReferenceActivations(generator.floats(rows * w.matrix.columns, -3...3), group: w.matrix.group)
    let memory = try ActivationMemory(reference, columns: w.matrix.columns, group: w.matrix.group, order: w.order)
    return (reference, memory)
  }

  @Test("every level gives the bits of the definition, up to the last byte of memory", arguments: layouts)
  func definition(layout: AffineLayout) throws {
    var generator = SeededGenerator(2)
    for (outputs, rows) in [(1, 1), (7, 1), (16, 1), (33, 1), (70, 1), (5, 3), (16, 2), (40, 8), (17, 9)] {
      for groups in [1, 3, 5, 9] {
        let w = try AffineWeights(
          rows: outputs, columns: groups * layout.group, type: layout.type, group: layout.group,
          scaleType: layout.scaleType, gap: outputs % 2, seed: 3)
        let (reference, x) = try activations(&generator, rows: rows, w)
        let expected = w.product(reference)
        for level in availableLevels() {
          let found = try withLevel(level) { try product(w, x, rows: rows) }
          #expect(firstDifference(found, expected) == nil, "\(level): \(outputs) x \(groups) groups, \(rows) rows")
        }
      }
    }
  }

  @Test("row counts and ranges change no bit", arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 33, 100])
  func rowsAndRanges(rows: Int) throws {
    var generator = SeededGenerator(4)
    for layout in [AffineLayout(type: .CK_Q4, group: 64), AffineLayout(type: .CK_Q8, group: 32)] {
      let outputs = 101
      let w = try AffineWeights(
        rows: outputs, columns: 21 * layout.group, type: layout.type, group: layout.group, seed: 5)
      let (reference, x) = try activations(&generator, rows: rows, w)
      let expected = try withLevel("portable") { try product(w, x, rows: rows) }
      for level in availableLevels() {
        for cuts in [[], [1], [16, 32], [15, 17, 64], [0, 33, 33, 90], (0..<outputs).map { $0 }] {
          let found = try withLevel(level) { try product(w, x, rows: rows, cuts: cuts, padding: 3) }
          #expect(firstDifference(found, expected) == nil, "\(level): \(rows) rows, cuts \(cuts)")
        }
      }
      // One row at a time is what the definition says: compare the ends of the batch with it.
      for i in [0, rows - 1] {
        let one = ReferenceActivations(slice: reference, row: i, columns: w.matrix.columns, group: layout.group)
        let line = Array(expected[i * outputs..<(i + 1) * outputs])
        #expect(firstDifference(line, w.product(one)) == nil, "row \(i) of \(rows)")
      }
    }
  }

  @Test("the columns of real models", arguments: [1536, 2048, 2560, 8192, 12288, 16384])
  func modelSizes(columns: Int) throws {
    var generator = SeededGenerator(6)
    for layout in Self.layouts where layout.scaleType == .CK_BF16 {
      let w = try AffineWeights(rows: 35, columns: columns, type: layout.type, group: layout.group, seed: 7)
      for rows in [1, 3, 10] {
        let (_, x) = try activations(&generator, rows: rows, w)
        let expected = try withLevel("portable") { try product(w, x, rows: rows) }
        for level in availableLevels().dropFirst() {
          let found = try withLevel(level) { try product(w, x, rows: rows) }
          #expect(firstDifference(found, expected) == nil, "\(level): group \(layout.group), \(rows) rows")
        }
      }
    }
  }

  @Test("rows that are read as streams, in whole bands, parts of them and slices", arguments: layouts)
  func streams(layout: AffineLayout) throws {
    var generator = SeededGenerator(21)
    for (outputs, columns, gap) in [(16, 1024, 0), (277, 1664, 0), (531, 1024, 1), (149, 2048, 0), (64, 4096, 0)] {
      let w = try AffineWeights(
        rows: outputs, columns: columns, type: layout.type, group: layout.group, scaleType: layout.scaleType, gap: gap,
        seed: 22)
      let (_, x) = try activations(&generator, rows: 1, w)
      let expected = try withLevel("portable") { try product(w, x, rows: 1) }
      for level in availableLevels().dropFirst() {
        for cuts in [[], [1, 33, 144].filter { $0 < outputs }] {
          let found = try withLevel(level) { try product(w, x, rows: 1, cuts: cuts) }
          #expect(firstDifference(found, expected) == nil, "\(level): \(outputs) x \(columns), cuts \(cuts)")
        }
      }
    }
  }

  @Test("the largest codes and values do not saturate", arguments: layouts)
  func extremes(layout: AffineLayout) throws {
    let columns = 3 * layout.group
    let w = try AffineWeights(
      rows: 37, columns: columns, type: layout.type, group: layout.group, scaleType: layout.scaleType, seed: 8,
      code: layout.type == .CK_Q4 ? 15 : 255)
    for value in [Float(1), -1] {
      for rows in [1, 4] {
        let reference = ReferenceActivations([Float](repeating: value, count: rows * columns), group: layout.group)
        #expect(reference.values.allSatisfy { $0 == Int8(127 * value) })
        let x = try ActivationMemory(reference, columns: columns, group: layout.group, order: w.order)
        let expected = w.product(reference)
        for level in availableLevels() {
          let found = try withLevel(level) { try product(w, x, rows: rows) }
          #expect(firstDifference(found, expected) == nil, "\(level): \(rows) rows")
        }
      }
    }
  }

  @Test("the product is the dequantised one up to half a step of the activations", arguments: layouts)
  func accuracy(layout: AffineLayout) throws {
    var generator = SeededGenerator(9)
    let columns = 6 * layout.group
    let rows = 2
    let w = try AffineWeights(
      rows: 20, columns: columns, type: layout.type, group: layout.group, scaleType: layout.scaleType, seed: 10)
    let source = generator.floats(rows * columns, -3...3)
    let reference = ReferenceActivations(source, group: layout.group)
    let x = try ActivationMemory(reference, columns: columns, group: layout.group, order: w.order)
    let found = try withLevel("portable") { try product(w, x, rows: rows) }
    for i in 0..<rows {
      for o in 0..<w.matrix.rows {
        var exact = 0.0
        var bound = 0.0
        for k in 0..<columns {
          let at = i * columns + k
          let scale = Double(reference.scales[at / layout.group])
          exact += w.value(o, k) * Double(source[at])
          // Half a step per element, and 1e-6 for the roundings of scale, product and the float32 sum, each relative
          // to the parts that the sum is made of.
          let parts =
            abs(Double(w.scales[(o * columns + k) / layout.group])) * Double(w.codes[o * columns + k])
            + abs(Double(w.biases[(o * columns + k) / layout.group]))
          bound += abs(w.value(o, k)) * scale / 2 + 1e-6 * parts * 127 * scale
        }
        let error = abs(Double(found[i * w.matrix.rows + o]) - exact)
        #expect(error <= bound, "row \(i), output \(o): \(error) > \(bound)")
        // The bound is the worst case; random errors mostly cancel. A wrong weight or order would not.
        #expect(error <= bound / 4, "row \(i), output \(o): \(error) is no rounding error")
      }
    }
  }

  @Test("a group that is not finite shows in its row and in no other")
  func nonFinite() throws {
    var generator = SeededGenerator(11)
    let w = try AffineWeights(rows: 40, columns: 256, type: .CK_Q4, group: 64, seed: 12)
    var source = generator.floats(3 * 256)
    source[256 + 70] = .infinity
    let reference = ReferenceActivations(source, group: 64)
    let x = try ActivationMemory(reference, columns: 256, group: 64, order: .CK_EVEN_ODD)
    for level in availableLevels() {
      let found = try withLevel(level) { try product(w, x, rows: 3) }
      #expect(found.indices.allSatisfy { found[$0].isNaN == (40..<80).contains($0) }, "\(level)")
    }
  }

  @Test("an empty range and no rows write nothing")
  func nothing() throws {
    let w = try AffineWeights(rows: 32, columns: 64, type: .CK_Q8, group: 32, seed: 13)
    let x = try ActivationMemory(
      ReferenceActivations([Float](repeating: 1, count: 64), group: 32), columns: 64, group: 32, order: .CK_NATURAL)
    let y = try GuardedMemory(bytes: 4 * 32)
    for level in availableLevels() {
      y.fill(7)
      withLevel(level) {
        ck_quantized_product(y.floats, 32, w.matrix, x.activations, 1, 9, 9)
        ck_quantized_product(y.floats, 32, w.matrix, x.activations, 0, 0, 32)
      }
      #expect(y.floatArray().allSatisfy { $0 == 7 }, "\(level)")
    }
  }
}

struct AffineLayout: Sendable, CustomTestStringConvertible {
  var type: ck_type
  var group: Int
  var scaleType: ck_type = .CK_BF16

  var testDescription: String {
    let scales = scaleType == .CK_BF16 ? "bf16" : scaleType == .CK_F16 ? "f16" : "f32"
    return "\(type == .CK_Q4 ? 4 : 8) bits, group \(group), \(scales)"
  }
}

extension ReferenceActivations {
  /// One row of a batch.
  fileprivate init(slice batch: ReferenceActivations, row: Int, columns: Int, group: Int) {
    self.init([], group: group)
    let groups = columns / group
    values = Array(batch.values[row * columns..<(row + 1) * columns])
    scales = Array(batch.scales[row * groups..<(row + 1) * groups])
    sums = Array(batch.sums[row * groups..<(row + 1) * groups])
  }
}
