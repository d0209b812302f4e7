import GemmaKernels
import Testing

@Suite("Quantising activations")
struct AffineQuantizeTests {
  /// Quantises on the current level, the rows from `cut` on at once and the others in parts, from memory that ends at an inaccessible page.
  private func quantize(_ x: [Float], columns: Int, group: Int, order: ck_order, cut: Int = 0, padding: Int = 0) throws
    -> ActivationMemory
  {
    let rows = x.count / columns
    let source = try GuardedMemory(bytes: 4 * (rows * columns + (rows - 1) * padding))
    for i in 0..<rows {
      (source.floats + i * (columns + padding)).update(from: Array(x[i * columns..<(i + 1) * columns]), count: columns)
    }
    let out = try ActivationMemory(rows: rows, columns: columns, group: group, order: order, gap: padding)
    ck_quantize_activations(out.activations, source.floats, columns + padding, cut, rows)
    let groups = columns / group
    for row in 0..<cut {
      ck_quantize_groups(out.activations, source.floats, columns + padding, row, groups / 2, groups)
      ck_quantize_groups(out.activations, source.floats, columns + padding, row, 0, groups / 2)
    }
    #expect(out.isIntact)
    return out
  }

  private func expectReference(
    _ x: [Float], columns: Int, group: Int, cut: Int = 0, padding: Int = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let expected = ReferenceActivations(x, group: group)
    for order in [ck_order.CK_NATURAL, .CK_EVEN_ODD] {
      for level in availableLevels() {
        let found = try withLevel(level) {
          try quantize(x, columns: columns, group: group, order: order, cut: cut, padding: padding)
        }
        let what = "\(level), \(columns) columns, group \(group), order \(order.rawValue)"
        #expect(found.codes == expected.ordered(order, columns: columns), "\(what)", sourceLocation: sourceLocation)
        #expect(
          firstDifference(found.scales.floatArray(), expected.scales) == nil, "\(what)", sourceLocation: sourceLocation)
        #expect(
          firstDifference(found.sums.floatArray(), expected.sums) == nil, "\(what)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test(
    "every level gives the bits of the definition, whatever the shape and the split of the rows",
    arguments: [32, 64, 128])
  func shapes(group: Int) throws {
    var generator = SeededGenerator(1)
    for groups in [1, 2, 3, 5, 8, 17] {
      for (rows, cut, padding) in [(1, 0, 0), (3, 1, 1), (5, 5, 7)] {
        let columns = groups * group
        let x = generator.floats(rows * columns).map { $0 * exp2Of(Int.random(in: -20...20, using: &generator)) }
        try expectReference(x, columns: columns, group: group, cut: cut, padding: padding)
      }
    }
  }

  private func exp2Of(_ exponent: Int) -> Float {
    Float(sign: .plus, exponent: exponent, significand: 1)
  }

  @Test("halves round to the even neighbour")
  func ties() throws {
    // absmax 127 makes the factor exactly 1.
    let x: [Float] = [127] + (0..<31).map { Float($0) - 15.5 }
    try expectReference(x, columns: 32, group: 32)
    let codes = try quantize(x, columns: 32, group: 32, order: .CK_NATURAL).codes
    #expect(codes[1...4].elementsEqual([-16, -14, -14, -12]))
    #expect(codes.allSatisfy { $0 == 127 || $0 % 2 == 0 })
  }

  @Test("zeros of either sign have scale 0")
  func zeros() throws {
    let x: [Float] = (0..<64).map { $0 % 2 == 0 ? 0 : -0.0 }
    try expectReference(x, columns: 64, group: 32)
    #expect(try quantize(x, columns: 64, group: 32, order: .CK_NATURAL).scales.floatArray() == [0, 0])
  }

  @Test("an infinity or a NaN makes its group NaN and leaves the neighbours alone", arguments: [0, 7, 31])
  func nonFinite(position: Int) throws {
    for bad in [Float.infinity, -.infinity, .nan, -.nan, .signalingNaN] {
      var x = [Float](repeating: 0.5, count: 96)
      x[32 + position] = bad
      try expectReference(x, columns: 96, group: 32)
      let found = try quantize(x, columns: 96, group: 32, order: .CK_NATURAL)
      #expect(found.scales.floatArray().map { $0.isNaN } == [false, true, false])
      #expect(found.sums.floatArray().map { $0.isNaN } == [false, true, false])
      #expect(found.codes[32..<64].allSatisfy { $0 == 0 })
      #expect(found.codes[0] == 127 && found.codes[95] == 127)
    }
  }

  @Test("constant groups of any finite size keep their value", arguments: [4000, 1e30, -1e30, 1e-30, 0x1p-116, 2e36])
  func sizes(value: Float) throws {
    let x = [Float](repeating: value, count: 128)
    try expectReference(x, columns: 128, group: 128)
    let found = try quantize(x, columns: 128, group: 128, order: .CK_EVEN_ODD)
    #expect(found.codes.allSatisfy { $0 == (value < 0 ? -127 : 127) })
    #expect(abs(found.scales.floatArray()[0] * 127 / abs(value) - 1) < 1e-6)
    #expect(found.sums.floatArray()[0].isFinite)
  }

  @Test("the largest finite value still has a finite scale")
  func largest() throws {
    let x = [Float.greatestFiniteMagnitude] + [Float](repeating: 1, count: 31)
    try expectReference(x, columns: 32, group: 32)
    #expect(try quantize(x, columns: 32, group: 32, order: .CK_NATURAL).scales.floatArray()[0].isFinite)
  }

  @Test("groups below 2^-116 count as zeros, subnormal numbers among them")
  func tiny() throws {
    for value in [Float(0x1p-116).nextDown, 0x1p-126, .leastNonzeroMagnitude, -0x1p-130] {
      let x = [value] + [Float](repeating: 0, count: 31)
      try expectReference(x, columns: 32, group: 32)
      let found = try quantize(x, columns: 32, group: 32, order: .CK_NATURAL)
      #expect(found.scales.floatArray() == [0] && found.codes.allSatisfy { $0 == 0 })
    }
  }
}
