import GemmaKernels
import Testing

@Suite("The first columns of a wider matrix", .serialized)
struct RowStrideTests {
  private static let rows = 37
  private static let width = 512

  /// The first `columns` columns in place, and copied side by side by `ck_copy_rows`.
  private func both(_ whole: ck_matrix, columns: Int) throws -> (part: ck_matrix, copy: ck_matrix, owner: GuardedMemory)
  {
    var part = whole
    part.columns = columns
    let memory = try GuardedMemory(bytes: ck_row_bytes(part) * Self.rows)
    let ids = (0..<Int32(Self.rows)).map { $0 }
    let copy = ck_copy_rows(UnsafeMutableRawPointer(memory.raw), part, ids, Self.rows, 0)
    return (part, copy, memory)
  }

  @Test("are multiplied as the matrix that holds only them", arguments: [ck_type.CK_Q4, .CK_Q8], [32, 64, 128])
  func affine(type: ck_type, group: Int) throws {
    let weights = try AffineWeights(rows: Self.rows, columns: Self.width, type: type, group: group, seed: 5)
    for columns in [128, 256, 384] {
      let (part, copy, owner) = try both(weights.matrix, columns: columns)
      #expect(copy.stride == columns && copy.rows == Self.rows)
      var generator = SeededGenerator(9)
      for count in [1, 3, 9] {
        let reference = ReferenceActivations(generator.floats(count * columns), group: group)
        let memory = try ActivationMemory(reference, columns: columns, group: group, order: weights.order)
        defer { withExtendedLifetime(memory) {} }
        for level in availableLevels() {
          withLevel(level) {
            var (left, right) = (
              [Float](repeating: 7, count: count * Self.rows), [Float](repeating: 8, count: count * Self.rows)
            )
            ck_quantized_product(&left, Self.rows, part, memory.activations, count, 0, Self.rows)
            ck_quantized_product(&right, Self.rows, copy, memory.activations, count, 0, Self.rows)
            #expect(left.map(\.bitPattern) == right.map(\.bitPattern), "\(level), \(columns) columns, \(count) rows")
          }
        }
      }
      withExtendedLifetime((owner, weights)) {}
    }
  }

  @Test(
    "are gathered and multiplied in float32 from where they lie", arguments: [ck_type.CK_F32, .CK_BF16, .CK_Q4, .CK_Q8])
  func float(type: ck_type) throws {
    let stored = try StoredMatrix(rows: Self.rows, columns: Self.width, type: type, seed: 3)
    defer { withExtendedLifetime(stored) {} }
    let columns = 160
    var part = stored.matrix
    part.columns = columns
    for level in availableLevels() {
      withLevel(level) {
        var row = [Float](repeating: 0, count: columns)
        ck_gather_rows(&row, columns, part, [21], 1, 0, columns, 1)
        #expect((0..<columns).allSatisfy { Double(row[$0]) == stored.values[21 * Self.width + $0] }, "\(level)")
        var ones = [Float](repeating: 0, count: columns)
        ones[columns - 1] = 1
        var y = [Float](repeating: 7, count: Self.rows)
        ck_float_product(&y, Self.rows, part, ones, columns, 1, 0, Self.rows)
        #expect(
          (0..<Self.rows).allSatisfy { Double(y[$0]) == stored.values[$0 * Self.width + columns - 1] }, "\(level)")
      }
    }
  }

  @Test(
    "are copied row by row in the order of the ids, and only they are read",
    arguments: [ck_type.CK_F32, .CK_F16, .CK_BF16, .CK_Q4, .CK_Q8])
  func copied(type: ck_type) throws {
    let stored = try StoredMatrix(rows: 5, columns: 64, type: type, seed: 1)
    let memory = try GuardedMemory(bytes: ck_row_bytes(stored.matrix) * 3)
    let copy = ck_copy_rows(UnsafeMutableRawPointer(memory.raw), stored.matrix, [4, 0, 4, 2, 1], 3, 2)
    for (row, id) in [4, 0, 4].enumerated() {
      var (left, right) = ([Float](repeating: 0, count: 64), [Float](repeating: 1, count: 64))
      ck_gather_rows(&left, 64, copy, [Int32(row)], 1, 0, 64, 1)
      ck_gather_rows(&right, 64, stored.matrix, [Int32(id)], 1, 0, 64, 1)
      #expect(left == right)
    }
    #expect(memory.isIntact)
    withExtendedLifetime(stored) {}
  }
}
