import BenchSupport
import GemmaKernels

/// As many copies of a weight matrix as the region holds: taking them in turn, each is out of the caches when its turn
/// comes again.
struct ColdMatrix {
  /// Codes or values, scales and biases of one copy.
  let bytes: Int
  private let matrix: ck_matrix
  private let region: Region
  private let copies: Int

  /// `bits` 4 or 8 with a group, or 16 (bfloat16) without; nil when the region is too small for one copy.
  init?(_ rows: Int, _ columns: Int, bits: Int, group: Int, in region: Region) {
    let codes = rows * columns * bits / 8
    let scales = group > 0 ? rows * columns / group * 2 : 0
    bytes = codes + 2 * scales
    copies = region.bytes / bytes
    guard copies > 0 else { return nil }
    self.region = region
    let types: [Int: ck_type] = [4: .CK_Q4, 8: .CK_Q8]
    matrix = ck_matrix(
      data: nil, scales: group > 0 ? region.base + codes : nil, biases: group > 0 ? region.base + codes + scales : nil,
      rows: rows, columns: columns, stride: columns, group: group, type: types[bits] ?? .CK_BF16, scale_type: .CK_BF16)
  }

  subscript(call: Int) -> ck_matrix {
    let offset = call % copies * bytes
    var copy = matrix
    copy.data = UnsafeRawPointer(region.base + offset)
    copy.scales = copy.scales.map { $0 + offset }
    copy.biases = copy.biases.map { $0 + offset }
    return copy
  }
}
