import GemmaKernels
import GemmaRuntime
import GemmaWeights

extension Products {
  /// With a larger share of gates open, reading everything in order is faster.
  private static let largestShare = 4

  /// out = gelu(x · gate) * (x · up), each share of columns finished while it is in the cache. For a few rows that
  /// includes what `down`, which reads the result, wants of it: then this is returned.
  func gatedUnit(gate: Term, up: Term, for down: WeightMatrix, by x: Rows, count: Int) -> ck_activations? {
    guard count > 0 else { return nil }
    let layout = ActivationLayout(gate.matrix, quantizes: quantizes)
    guard layout == ActivationLayout(up.matrix, quantizes: quantizes) else {
      multiply([gate, up], by: x, count: count)
      Parallel.forEach(count, unless: stop) { range in
        for row in range { ck_gelu_gate(gate.out.row(row), gate.out.row(row), up.out.row(row), gate.rows) }
      }
      return nil
    }
    let activations = prepare(layout, x, columns: Int(gate.matrix.columns), count: count)
    let width = gate.rows
    traffic.read(rows: width, of: gate.matrix)
    traffic.read(rows: width, of: up.matrix)
    let next = count <= Self.fewRows ? gatedActivations(ActivationLayout(down.raw, quantizes: quantizes), width) : nil
    let groupItems = next.map { Int($0.group) / Self.itemRows } ?? 1
    let grain = max(Self.grain / groupItems, 1)
    // Each thread begins with rows of the gate.
    if count <= Self.fewRows { readAhead.willMultiply(CollectionOfOne(gate), grain: grain * groupItems) }
    let step = groupItems * Self.itemRows
    Parallel.forEach((width + step - 1) / step, grain: grain, unless: stop) { share in
      let begin = share.lowerBound * step
      let end = min(share.upperBound * step, width)
      product(gate, begin, end, activations, x, count)
      product(up, begin, end, activations, x, count)
      for row in 0..<count {
        ck_gelu_gate(gate.out.row(row) + begin, gate.out.row(row) + begin, up.out.row(row) + begin, end - begin)
        guard let next else { continue }
        ck_quantize_groups(next, gate.out.base, gate.out.stride, row, share.lowerBound, share.upperBound)
      }
    }
    return next
  }

  /// Where the activations of `down` go while those of `gate` and `up` are still read; nil where it takes float32, or
  /// groups that no whole number of items makes.
  private func gatedActivations(_ layout: ActivationLayout, _ width: Int) -> ck_activations? {
    guard case .int8(let group, _) = layout, group % Self.itemRows == 0, width % group == 0 else { return nil }
    return activations(layout, in: .gated, columns: width)
  }

  /// gate = gelu(gate) * (x · up), in place, for one row x; false, with nothing done, where too many gates are open or
  /// the weights are not quantised. A gate of exactly zero stays zero whatever finite number it would meet, so the bits
  /// are those of the whole product.
  func selectedUnit(gate: Rows, up: WeightMatrix, scratch raised: Rows, by x: Rows) -> Bool {
    guard ActivationLayout(up.raw, quantizes: quantizes) != .float32 else { return false }
    let width = up.rows
    let ids = UnsafeMutableRawPointer(workspace.base(.selection)).assumingMemoryBound(to: Int32.self)
    let count = Self.open(gate.base, width, ids)
    guard count * Self.largestShare <= width - SelectedRows.panelRows, count > 0 else { return false }
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

extension Workspace.Layout {
  /// Room for gated units of F columns over inputs of H; `selects`: also for copies of the rows behind open gates.
  mutating func reserveGatedUnit(width: Int, hidden: Int, selects: Bool) {
    reserve(.gate, .up, columns: width)
    reserveActivations(in: .gated, rows: .exactly(Products.fewRows), columns: width)
    if selects {
      SelectedRows.reserve(&self, count: width, rowFloats: SelectedRows.quantizedColumns(hidden: hidden))
    }
  }
}
