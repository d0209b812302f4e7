import GemmaKernels
import GemmaRuntime
import GemmaWeights

/// Products of one row of activations with some of a matrix's rows, here and there: the others are not read.
///
/// Selected rows are copied side by side into panels, so that the kernels find them as they find any matrix.
enum SelectedRows {
  /// Rows of a panel: what the widest kernel takes at a time.
  static let panelRows = 16
  /// Panels that may be in work at the same time.
  static let slots = 16
  /// With a larger share of gates open, reading everything in order is faster.
  static let largestShare = 4

  /// Floats for the copy of a quantised row, in the widest format. (A copy of any row fits into as many floats as it
  /// has columns.)
  static func quantizedColumns(hidden: Int) -> Int { (ck_widest_row_bytes(hidden) + 3) / 4 }
}

extension Products {
  /// out[i] = x · weights[ids[i]] for i in 0 ..< count, one row x. The memory behind `ids` and `out` holds whole panels;
  /// their ends are overwritten.
  func multiply(
    rows ids: UnsafeMutablePointer<Int32>, count: Int, of weights: WeightMatrix, into out: UnsafeMutablePointer<Float>,
    by x: Rows
  ) {
    let activations = prepare(
      ActivationLayout(weights.raw, quantizes: quantizes), x, columns: weights.columns, count: 1)
    traffic.read(rows: count, of: weights.raw)
    // Whole panels, by repeating the last row: kernels are slow on a part of one.
    let panels = (count + SelectedRows.panelRows - 1) / SelectedRows.panelRows
    for index in count..<panels * SelectedRows.panelRows { ids[index] = ids[count - 1] }
    let slots = min(panels, SelectedRows.slots)
    let bytes = ck_row_bytes(weights.raw) * SelectedRows.panelRows
    let copies = UnsafeMutableRawPointer(workspace.base(.selectedWeights))
    Parallel.forEach(slots, unless: stop) { share in
      for slot in share {
        for panel in slot * panels / slots..<(slot + 1) * panels / slots {
          let first = panel * SelectedRows.panelRows
          let rest = (panels - panel - 1) * SelectedRows.panelRows
          let rows = ck_copy_rows(copies + slot * bytes, weights.raw, ids + first, SelectedRows.panelRows, rest)
          if let activations {
            ck_quantized_product(out + first, SelectedRows.panelRows, rows, activations, 1, 0, SelectedRows.panelRows)
          } else {
            ck_float_product(out + first, SelectedRows.panelRows, rows, x.base, x.stride, 1, 0, SelectedRows.panelRows)
          }
        }
      }
    }
  }

  /// gate = gelu(gate) * (x · up), in place, for one row x; false, with nothing done, where too many gates are open or
  /// the weights are not quantised. A gate of exactly zero stays zero whatever finite number it would meet, so the bits
  /// are those of the whole product.
  func selectedUnit(gate: Rows, up: WeightMatrix, scratch raised: Rows, by x: Rows) -> Bool {
    guard ActivationLayout(up.raw, quantizes: quantizes) != .float32 else { return false }
    let width = up.rows
    let ids = UnsafeMutableRawPointer(workspace.base(.selection)).assumingMemoryBound(to: Int32.self)
    let count = Self.open(gate.base, width, ids)
    guard count * SelectedRows.largestShare <= width - SelectedRows.panelRows, count > 0 else { return false }
    multiply(rows: ids, count: count, of: up, into: raised.base, by: x)
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
