import GemmaKernels
import GemmaRuntime
import GemmaWeights

/// Products of activation rows with weight matrices, shared out over the team by weight rows.
final class Products {
  /// One product y = x · W. A plain value: the threads of the team would fight over a counted reference. So the model,
  /// which keeps the weights mapped, must outlive it, as it outlives every pass.
  struct Term {
    let matrix: ck_matrix
    let out: Rows

    init(_ matrix: WeightMatrix, _ out: Rows) {
      self.matrix = matrix.raw
      self.out = out
    }

    var rows: Int { Int(matrix.rows) }
  }

  /// Weight rows of an item of a loop, which kernels work on at a time, and items that a thread takes at least.
  private static let itemRows = Int(CK_ITEM_ROWS)
  private static let grain = 2
  /// Activation rows up to which the canonical float kernel is as fast as BLAS. A round of drafts must be among them,
  /// so that its bits are those of single tokens.
  private static let fewRows = DraftedRound.mostTokens

  /// Quantised weights take int8 activations.
  let quantizes: Bool
  /// Float products run in canonical order whatever the number of rows.
  let canonical: Bool
  let workspace: Workspace
  let stop: StopSignal
  /// Must outlive the pass: it learns in one what it announces in the next.
  private let readAhead: ReadAhead
  let traffic: Traffic

  init(
    _ workspace: Workspace, quantizes: Bool, canonical: Bool, stop: StopSignal = StopSignal(),
    readAhead: ReadAhead = ReadAhead(), traffic: Traffic = Traffic()
  ) {
    self.readAhead = readAhead
    self.traffic = traffic
    self.workspace = workspace
    self.stop = stop
    self.quantizes = quantizes
    self.canonical = canonical
  }

  /// All products of the same `count` activation rows x.
  func multiply(_ terms: [Term], by x: Rows, count: Int) {
    terms.withUnsafeBufferPointer { multiply($0, by: x, count: count) }
  }

  /// `prepared`: x in the layout of the matrix, where it exists already.
  func multiply(_ term: Term, by x: Rows, count: Int, prepared: ck_activations? = nil) {
    withUnsafePointer(to: term) {
      multiply(UnsafeBufferPointer(start: $0, count: 1), by: x, count: count, prepared: prepared)
    }
  }

  private func multiply(
    _ terms: UnsafeBufferPointer<Term>, by x: Rows, count: Int, prepared: ck_activations? = nil
  ) {
    guard count > 0 else { return }
    var rest = terms[...]
    while let first = rest.first {
      // One quantisation of x serves all neighbours with the same grouping.
      let layout = ActivationLayout(first.matrix, quantizes: quantizes)
      let end = rest.firstIndex { ActivationLayout($0.matrix, quantizes: quantizes) != layout } ?? rest.endIndex
      let activations = prepared ?? prepare(layout, x, columns: Int(first.matrix.columns), count: count)
      let together = UnsafeBufferPointer(rebasing: rest[..<end])
      if count <= Self.fewRows { readAhead.willMultiply(together, grain: Self.grain) }
      multiplyInOneLoop(together, activations, x, count)
      rest = rest[end...]
    }
  }

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
    return activations(layout, .gatedValues, .gatedScales, .gatedSums, columns: width)
  }

  /// How a matrix wants its activations.
  enum ActivationLayout: Equatable {
    case float32
    case int8(group: Int, order: ck_order)

    init(_ matrix: ck_matrix, quantizes: Bool) {
      let group = ck_activation_group(matrix)
      self = quantizes && group > 0 ? .int8(group: group, order: ck_format_of(matrix.type).pointee.order) : .float32
    }
  }

  /// Quantises `count` rows of x; nil where the matrix takes float32.
  func prepare(_ layout: ActivationLayout, _ x: Rows, columns: Int, count: Int) -> ck_activations? {
    guard
      let activations = activations(
        layout, .activationValues, .activationScales, .activationSums, columns: columns)
    else { return nil }
    Parallel.forEach(count, unless: stop) {
      ck_quantize_activations(activations, x.base, x.stride, $0.lowerBound, $0.upperBound)
    }
    return activations
  }

  private func activations(
    _ layout: ActivationLayout, _ values: Workspace.Region, _ scales: Workspace.Region, _ sums: Workspace.Region,
    columns: Int
  ) -> ck_activations? {
    guard case .int8(let group, let order) = layout else { return nil }
    return ck_activations(
      values: UnsafeMutableRawPointer(workspace.base(values)).assumingMemoryBound(to: Int8.self),
      scales: workspace.base(scales), sums: workspace.base(sums), columns: columns,
      stride: columns + Workspace.activationGap, group: group, order: order)
  }

  private func items(_ rows: Int) -> Int { (rows + Self.itemRows - 1) / Self.itemRows }

  /// One loop over the weight rows of all terms.
  private func multiplyInOneLoop(
    _ terms: UnsafeBufferPointer<Term>, _ activations: ck_activations?, _ x: Rows, _ count: Int
  ) {
    var total = 0
    for term in terms {
      traffic.read(rows: term.rows, of: term.matrix)
      total += items(term.rows)
    }
    Parallel.forEach(total, grain: Self.grain, unless: stop) { share in
      var start = 0
      for term in terms {
        let size = items(term.rows)
        let part = share.clamped(to: start..<start + size)
        if !part.isEmpty {
          let begin = (part.lowerBound - start) * Self.itemRows
          let end = min((part.upperBound - start) * Self.itemRows, term.rows)
          product(term, begin, end, activations, x, count)
        }
        start += size
      }
    }
  }

  private func product(
    _ term: Term, _ begin: Int, _ end: Int, _ activations: ck_activations?, _ x: Rows, _ count: Int
  ) {
    let (y, w) = (term.out, term.matrix)
    if let activations {
      ck_quantized_product(y.base, y.stride, w, activations, count, begin, end)
    } else if canonical || count <= Self.fewRows {
      ck_float_product(y.base, y.stride, w, x.base, x.stride, count, begin, end)
    } else {
      ck_blas_product(y.base, y.stride, w, x.base, x.stride, count, begin, end)
    }
  }
}
