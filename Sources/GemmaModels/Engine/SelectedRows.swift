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

  /// Floats for the copy of a quantised row, in the widest format. (A copy of any row fits into as many floats as it
  /// has columns.)
  static func quantizedColumns(hidden: Int) -> Int { (ck_widest_row_bytes(hidden) + 3) / 4 }

  /// Room for the indices of at most `count` rows, and for copies of so many floats each.
  static func reserve(_ layout: inout Workspace.Layout, count: Int, rowFloats: Int) {
    layout.reserve(.selection, rows: .exactly(1), columns: count)
    layout.reserve(.selectedWeights, rows: .exactly(slots * panelRows), columns: rowFloats)
  }
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
}
