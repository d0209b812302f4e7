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
  static let itemRows = Int(CK_ITEM_ROWS)
  static let grain = 2
  /// Activation rows up to which the canonical float kernel is as fast as BLAS. A round of drafts must be among them,
  /// so that its bits are those of single tokens.
  static let fewRows = Workspace.logitRows

  /// Quantised weights take int8 activations.
  let quantizes: Bool
  /// Float products run in canonical order whatever the number of rows.
  let canonical: Bool
  let workspace: Workspace
  let stop: StopSignal
  /// Must outlive the pass: it learns in one what it announces in the next.
  let readAhead: ReadAhead
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

  /// Rows begin ..< end of a term; `activations` is x where the matrix takes it quantised.
  func product(
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
