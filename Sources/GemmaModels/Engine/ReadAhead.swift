import GemmaKernels
import GemmaWeights

/// Lets the team fetch the beginning of the next weights while it waits: between two products there are norms, barriers
/// and attention, in which the memory would idle. The order of the products is learned from the pass before; a wrong
/// guess costs a little bandwidth and nothing else.
final class ReadAhead {
  /// Bytes that each thread may fetch early: they must outlast a pause at full bandwidth and fit into a second-level
  /// cache beside the activations. Measured, see Benchmarks/log.
  private static let budget = 256 << 10
  /// Smaller matrices lie in the caches anyway, or are read before anyone could fetch them.
  private static let smallest = 64 << 10

  /// A loop over the rows of some matrices, of which the first lies at `address`.
  private struct Step {
    let address: UnsafeRawPointer
    let matrices: [ck_rows]
    let grain: Int
  }

  /// In the order of a pass.
  private var steps: [Step] = []
  /// Index of the step that is expected next.
  private var next = 0

  /// To be called before the products of a loop with this grain: announces what came after it in the pass before.
  func willMultiply(_ terms: some Collection<Products.Term>, grain: Int) {
    guard let first = terms.first, let address = first.matrix.data,
      first.rows * ck_row_bytes(first.matrix) >= Self.smallest
    else { return }
    if steps.isEmpty || steps[next].address != address {
      if let found = steps.firstIndex(where: { $0.address == address }) {
        next = found
      } else {
        steps.insert(
          Step(address: address, matrices: terms.map { Self.rows($0.matrix) }, grain: grain), at: next)
      }
    }
    next = (next + 1) % steps.count
    let step = steps[next]
    step.matrices.withUnsafeBufferPointer { ck_announce($0.baseAddress, $0.count, step.grain, Self.budget) }
  }

  private static func rows(_ matrix: ck_matrix) -> ck_rows {
    ck_rows(
      parts: (matrix.data, matrix.scales, matrix.biases),
      row_bytes: (
        ck_part_stride(matrix, CK_CODES), ck_part_stride(matrix, CK_SCALES), ck_part_stride(matrix, CK_BIASES)
      ),
      rows: matrix.rows)
  }
}
