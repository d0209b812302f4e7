import CKernels
import Weights

/// Lets the team fetch the beginning of the next weights while it waits: between two products there are norms, barriers
/// and attention, in which the memory would idle. The order of the products is learned from the pass before; a wrong
/// guess costs a little bandwidth and nothing else.
final class ReadAhead {
  /// Bytes of the next matrix, with its scales, that each thread may fetch early: they must outlast a pause at full
  /// bandwidth and fit into a second-level cache beside the activations. Measured, see SPEED.md.
  private static let budget = 128 << 10
  /// Smaller matrices lie in the caches anyway, or are read before anyone could fetch them.
  private static let smallest = 64 << 10

  private var next: [UnsafeRawPointer: ck_matrix] = [:]
  private var last: UnsafeRawPointer?

  /// To be called before the product with this matrix: announces what came after it in the pass before.
  func willMultiply(_ matrix: WeightMatrix) {
    guard matrix.byteCount >= Self.smallest, let address = matrix.raw.data else { return }
    if let last, next[last]?.data != address { next[last] = matrix.raw }
    last = address
    if let next = next[address] { Self.announce(next) }
  }

  private static func announce(_ matrix: ck_matrix) {
    let rowBytes = ck_row_bytes(matrix)
    guard rowBytes > 0 else { return }
    let (rows, front) = (matrix.rows, budget / rowBytes)
    guard matrix.group > 0 else {
      return announce([ck_range(start: matrix.data, bytes: rows * rowBytes, front: front * rowBytes)])
    }
    let codes = matrix.type == .CK_Q4 ? matrix.stride / 2 : matrix.stride
    let scales = matrix.stride / matrix.group * elementSize(matrix.scale_type)
    announce([
      ck_range(start: matrix.data, bytes: rows * codes, front: front * codes),
      ck_range(start: matrix.scales, bytes: rows * scales, front: front * scales),
      ck_range(start: matrix.biases, bytes: rows * scales, front: front * scales),
    ])
  }

  private static func announce(_ ranges: [ck_range]) {
    ranges.withUnsafeBufferPointer { ck_announce($0.baseAddress, $0.count) }
  }

  private static func elementSize(_ type: ck_type) -> Int { type == .CK_F32 ? 4 : 2 }
}
