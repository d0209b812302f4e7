import BenchSupport
import CProbe
import GemmaKernels

/// A way through the bytes of a matrix: plain loops that add up what they read, and the product that should be as fast.
enum Way: String, CaseIterable {
  case inOrder = "in_order"
  /// In order, with prefetches 4 KB ahead.
  case prefetched
  /// A line of each of 16 rows by turns.
  case panels
  /// A line of each quarter of a thread's share by turns.
  case cursors
  /// One row of activations.
  case product

  static var loops: [Way] { allCases.filter { $0 != .product } }
}

/// Goes through matrices, on the caller's team.
struct Walker {
  private let y: UnsafeMutablePointer<Float>
  private let activations: [String: ck_activations]

  init(_ matrices: [StoredMatrix]) {
    y = .allocate(capacity: matrices.map(\.weights.rows).max() ?? 0)
    var activations: [String: ck_activations] = [:]
    for matrix in matrices where activations[matrix.shape] == nil {
      activations[matrix.shape] = .random(
        rows: 1, columns: matrix.weights.columns, bits: matrix.bits, group: matrix.weights.group)
    }
    self.activations = activations
  }

  /// The seconds of one way through one matrix, whose rows are split as the models split them.
  func seconds(_ way: Way, _ matrix: StoredMatrix) -> Double {
    let rows = matrix.weights.rows
    let activations = activations[matrix.shape]
    return BenchSupport.seconds {
      Team.forEach((rows + 31) / 32, grain: 2) { share in
        let begin = share.lowerBound * 32
        let end = min(share.upperBound * 32, rows)
        if way == .product {
          if let activations { ck_quantized_product(y, rows, matrix.weights, activations, 1, begin, end) }
        } else {
          read(way, matrix.weights.data, matrix.codeBytes, begin, end)
          read(way, matrix.weights.scales, matrix.scaleBytes, begin, end)
          read(way, matrix.weights.biases, matrix.scaleBytes, begin, end)
        }
      }
    }
  }

  private func read(_ way: Way, _ part: UnsafeRawPointer?, _ rowBytes: Int, _ begin: Int, _ end: Int) {
    guard let part else { return }
    let first = part + begin * rowBytes
    let bytes = (end - begin) * rowBytes
    switch way {
    case .inOrder: use(probe_read(first, bytes, 0))
    case .prefetched: use(probe_read(first, bytes, 4096))
    case .cursors: use(probe_read_cursors(first, bytes))
    // Rows of scales are shorter than a line: nobody reads them line by line.
    case .panels where rowBytes >= 64: use(probe_read_panels(first, rowBytes, end - begin))
    case .panels, .product: use(probe_read(first, bytes, 0))
    }
  }
}
