import GemmaKernels
import Testing

@Suite("Products with float activations")
struct FloatProductTests {
  private func product(
    _ w: ck_matrix, _ x: [Float], rows: Int, range: Range<Int>? = nil, padding: Int = 0
  ) throws -> [Float] {
    let xStride = w.columns + padding
    let yStride = w.rows + padding
    let y = try GuardedMemory(bytes: 4 * rows * yStride)
    let xs = try GuardedMemory(x, gap: padding)
    y.fill(7)
    let range = range ?? 0..<w.rows
    ck_float_product(y.floats, yStride, w, xs.floats, xStride, rows, range.lowerBound, range.upperBound)
    #expect(y.isIntact)
    return y.floatArray()
  }

  private func reference(_ w: StoredMatrix, _ x: [Float], rows: Int, padding: Int = 0) -> [Double] {
    let n = w.matrix.rows
    let k = w.matrix.columns
    return (0..<rows * (n + padding)).map { at in
      let (i, o) = (at / (n + padding), at % (n + padding))
      return o >= n ? 7 : (0..<k).reduce(0) { $0 + Double(x[i * (k + padding) + $1]) * w.values[o * k + $1] }
    }
  }

  @Test("plain weights of any length and any row count", arguments: [ck_type.CK_F32, .CK_F16, .CK_BF16])
  func plainWeights(type: ck_type) throws {
    var generator = SeededGenerator(10)
    for columns in [1, 2, 7, 15, 16, 17, 31, 33, 101, 1024, 1031, 2100] {
      for (rows, outputs) in [(1, 1), (1, 7), (2, 4), (3, 5), (4, 3), (5, 9), (66, 6)] {
        if columns > 1000 && rows > 9 { continue }
        let w = try StoredMatrix(rows: outputs, columns: columns, type: type, gap: columns % 4, seed: 11)
        let x = generator.floats(rows * (columns + 1))
        let levels = try availableLevels().map {
          try withLevel($0) { try product(w.matrix, x, rows: rows, padding: 1) }
        }
        for y in levels { #expect(firstDifference(y, levels[0]) == nil, "\(columns) columns, \(rows) rows") }
        let exact = reference(w, x, rows: rows, padding: 1)
        #expect(firstOutside(levels[0], exact, absolute: 2e-7 * Double(columns)) == nil, "\(columns) columns")
      }
    }
  }

  @Test("affine weights, dequantised on the way", arguments: [ck_type.CK_Q4, .CK_Q8], [32, 64, 128])
  func affineWeights(type: ck_type, group: Int) throws {
    var generator = SeededGenerator(12)
    for scaleType in [ck_type.CK_BF16, .CK_F16, .CK_F32] {
      for (rows, columns) in [(1, group), (5, 3 * group), (2, 9 * 128)] {
        let w = try StoredMatrix(
          rows: 5, columns: columns, type: type, group: group, scaleType: scaleType, gap: 1, seed: 13)
        let x = generator.floats(rows * columns)
        let levels = try availableLevels().map { try withLevel($0) { try product(w.matrix, x, rows: rows) } }
        for y in levels { #expect(firstDifference(y, levels[0]) == nil) }
        let exact = reference(w, x, rows: rows)
        let size: Double = type == .CK_Q4 ? 16 : 256
        #expect(firstOutside(levels[0], exact, absolute: 1e-7 * size * Double(columns)) == nil)
      }
    }
  }

  @Test("the order of the sum is the canonical one")
  func canonicalOrder() throws {
    var generator = SeededGenerator(14)
    let columns = 1100
    let w = try StoredMatrix(rows: 3, columns: columns, type: .CK_BF16, seed: 15)
    let x = generator.floats(columns)
    let expected = (0..<3).map { o -> Float in
      var lanes = [Float](repeating: 0, count: 16)
      for k in 0..<columns { lanes[k % 16] = lanes[k % 16].addingProduct(x[k], Float(w.values[o * columns + k])) }
      for half in [8, 4, 2, 1] { for i in 0..<half { lanes[i] += lanes[i + half] } }
      return lanes[0]
    }
    for level in availableLevels() {
      let y = try withLevel(level) { try product(w.matrix, x, rows: 1) }
      #expect(y == expected, "\(level)")
    }
  }

  @Test("neither the rows nor the range change a bit, and nothing outside the range is written")
  func independence() throws {
    var generator = SeededGenerator(16)
    let rows = 70
    let outputs = 11
    let columns = 1040
    let w = try StoredMatrix(rows: outputs, columns: columns, type: .CK_F16, seed: 17)
    let x = generator.floats(rows * columns)
    for level in availableLevels().suffix(2) {
      try withLevel(level) {
        let whole = try product(w.matrix, x, rows: rows)
        for i in [0, 3, 63, 64, 69] {
          let single = try product(w.matrix, Array(x[i * columns..<(i + 1) * columns]), rows: 1)
          #expect(single == Array(whole[i * outputs..<(i + 1) * outputs]), "row \(i)")
        }
        let part = try product(w.matrix, x, rows: 2, range: 3..<8)
        for o in 0..<outputs { #expect(part[o] == ((3..<8).contains(o) ? whole[o] : 7)) }
      }
    }
  }

  @Test("NaN and infinity come through")
  func specialValues() throws {
    let w = try StoredValues([1, 1, 0, 1], .CK_F32)
    let matrix = ck_matrix(
      data: UnsafeRawPointer(w.memory.raw), scales: nil, biases: nil, rows: 2, columns: 2, stride: 2, group: 0,
      type: .CK_F32,
      scale_type: .CK_F32)
    for level in availableLevels() {
      try withLevel(level) {
        let infinite = try product(matrix, [.infinity, 1], rows: 1)
        #expect(infinite[0] == .infinity && infinite[1].isNaN)
        let undefined = try product(matrix, [1, .nan], rows: 1)
        #expect(allNaN(undefined))
      }
    }
  }

  @Test("the BLAS product agrees with Double", arguments: [ck_type.CK_F32, .CK_BF16, .CK_Q4])
  func blas(type: ck_type) throws {
    #expect(ck_blas_available(), "a limit on memory (ulimit -v, -d) leaves nothing to test here")
    var generator = SeededGenerator(18)
    for (rows, outputs, columns) in [(1, 3, 32), (17, 70, 128), (5, 130, 2176)] {
      let w = try StoredMatrix(rows: outputs, columns: columns, type: type, seed: 19)
      let x = generator.floats(rows * columns)
      let xs = try GuardedMemory(x)
      let y = try GuardedMemory(bytes: 4 * rows * outputs)
      y.fill(7)
      ck_blas_product(y.floats, outputs, w.matrix, xs.floats, columns, rows, 1, outputs)
      var exact = reference(w, x, rows: rows)
      for i in 0..<rows { exact[i * outputs] = 7 }
      #expect(firstOutside(y.floatArray(), exact, absolute: 2e-6 * Double(columns)) == nil)
      #expect(y.isIntact)
    }
  }

  @Test(
    "gathered rows: any columns, any type",
    arguments: [ck_type.CK_F32, .CK_F16, .CK_BF16, .CK_Q4, .CK_Q8])
  func gather(type: ck_type) throws {
    let columns = 192
    let ids: [Int32] = [4, 0, 4, 2]
    let w = try StoredMatrix(rows: 5, columns: columns, type: type, gap: 1, seed: 20)
    for range in [0..<192, 0..<0, 1..<2, 5..<6, 3..<37, 16..<48, 31..<192, 33..<191, 190..<192] {
      let stride = range.count + 2
      let out = try GuardedMemory(bytes: 4 * ids.count * stride, gap: 4)
      let y = sameOnEveryLevel("\(range)") {
        out.fill(7)
        ck_gather_rows(out.floats, stride, w.matrix, ids, ids.count, range.lowerBound, range.upperBound, 1.5)
        return out.floatArray()
      }
      let expected = (0..<ids.count * stride).map { at -> Float in
        let (i, c) = (at / stride, at % stride)
        return c >= range.count ? 7 : 1.5 * Float(w.values[Int(ids[i]) * columns + range.lowerBound + c])
      }
      #expect(y == expected, "\(range)")
      #expect(out.isIntact)
    }
  }
}
