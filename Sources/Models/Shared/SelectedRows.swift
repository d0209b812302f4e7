import CKernels
import Tensors
import Weights

/// The gated unit for one row of activations whose gate is mostly zero: weight rows of `up` behind a zero are not read.
///
/// Selected rows are copied side by side into small blocks, so that the kernels find them as they find any matrix.
enum SelectedRows {
  /// Rows of a block: what the widest kernel takes at a time.
  static let block = 16
  /// Blocks that may be in work at the same time.
  static let slots = 16
  /// With a larger share of gates open, reading everything in order is faster.
  static let largestShare = 4

  /// Floats of workspace for the blocks, enough for the widest layout of a row: 8-bit codes, and float32 scales and
  /// biases for every 32.
  static func scratchColumns(hidden: Int) -> Int { (hidden + hidden / 32 * 8 + 3) / 4 }
}

extension Products {
  /// gate = gelu(gate) * (x · up), in place, for one row x; false, with nothing done, where too many gates are open or
  /// the weights are not quantised. A gate of exactly zero stays zero whatever finite number it would meet, so the bits
  /// are those of the whole product.
  func selectedUnit(gate: Rows, up: WeightMatrix, scratch raised: Rows, by x: Rows) -> Bool {
    let format = Format(up, quantizes: quantizes)
    guard format != .float32 else { return false }
    let width = up.rows
    let ids = UnsafeMutableRawPointer(workspace.base(.selection)).assumingMemoryBound(to: Int32.self)
    let count = Self.open(gate.base, width, ids)
    guard count * SelectedRows.largestShare <= width - SelectedRows.block, count > 0 else { return false }
    guard let activations = prepare(format, x, columns: up.columns, count: 1) else { return false }

    // Whole blocks, by repeating the last row: kernels are slow on a part of one.
    let blocks = (count + SelectedRows.block - 1) / SelectedRows.block
    for index in count..<blocks * SelectedRows.block { ids[index] = ids[count - 1] }
    let slots = min(blocks, SelectedRows.slots)
    let bytes = ck_affine_row_bytes(up.raw) * SelectedRows.block
    let copies = UnsafeMutableRawPointer(workspace.base(.selectedWeights))
    Parallel.forEach(slots) { share in
      for slot in share {
        for block in slot * blocks / slots..<(slot + 1) * blocks / slots {
          let first = block * SelectedRows.block
          let rest = (blocks - block - 1) * SelectedRows.block
          let rows = ck_copy_rows(copies + slot * bytes, up.raw, ids + first, SelectedRows.block, rest)
          ck_affine_product(raised.base + first, raised.stride, rows, activations, 1, 0, SelectedRows.block)
        }
      }
    }
    for index in 0..<count { gate.base[index] = gate.base[Int(ids[index])] }
    ck_gelu_gate(raised.base, gate.base, raised.base, count)
    gate.base.update(repeating: 0, count: width)
    for index in 0..<count { gate.base[Int(ids[index])] = raised.base[index] }
    return true
  }

  /// Writes the indices of the gates that are not zero; a NaN is not.
  private static func open(_ gate: UnsafePointer<Float>, _ width: Int, _ ids: UnsafeMutablePointer<Int32>) -> Int {
    var count = 0
    for index in 0..<width {
      ids[count] = Int32(truncatingIfNeeded: index)
      count &+= gate[index] != 0 ? 1 : 0
    }
    return count
  }
}
