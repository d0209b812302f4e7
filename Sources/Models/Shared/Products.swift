import CKernels
import Tensors
import Weights

/// Products of activation rows with weight matrices, shared out over the team by weight rows.
struct Products {
  /// One product y = x · W.
  struct Term {
    let matrix: WeightMatrix
    let out: Rows

    init(_ matrix: WeightMatrix, _ out: Rows) {
      self.matrix = matrix
      self.out = out
    }
  }

  /// Weight rows that are claimed together; kernels work on 16 at a time.
  private static let block = 16
  /// Activation rows up to which the canonical float kernel is as fast as BLAS. A round of drafts must be among them,
  /// so that its bits are those of single tokens.
  private static let fewRows = Workspace.headRows

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
    guard count > 0 else { return }
    var rest = terms
    while let first = rest.first {
      // One quantisation of x serves all matrices with the same grouping.
      let format = Format(first.matrix, quantizes: quantizes)
      let together = rest.filter { Format($0.matrix, quantizes: quantizes) == format }
      rest.removeAll { Format($0.matrix, quantizes: quantizes) == format }
      let activations = prepare(format, x, columns: Int(first.matrix.raw.columns), count: count)
      if count <= Self.fewRows { readAhead.willMultiply(first.matrix) }
      run(together, activations, x, count)
    }
  }

  /// out = gelu(x · gate) * (x · up), each share of columns finished while it is in the cache.
  func gatedUnit(gate: Term, up: Term, by x: Rows, count: Int) {
    guard count > 0 else { return }
    let format = Format(gate.matrix, quantizes: quantizes)
    guard format == Format(up.matrix, quantizes: quantizes) else {
      multiply([gate, up], by: x, count: count)
      Parallel.forEach(count, unless: stop) { range in
        for row in range { ck_gelu_gate(gate.out.row(row), gate.out.row(row), up.out.row(row), gate.matrix.rows) }
      }
      return
    }
    let activations = prepare(format, x, columns: Int(gate.matrix.raw.columns), count: count)
    let width = gate.matrix.rows
    traffic.read(rows: width, of: gate.matrix)
    traffic.read(rows: width, of: up.matrix)
    if count <= Self.fewRows { readAhead.willMultiply(gate.matrix) }
    Parallel.forEach(blocks(width), grain: 2, unless: stop) { share in
      let begin = share.lowerBound * Self.block
      let end = min(share.upperBound * Self.block, width)
      product(gate, begin, end, activations, x, count)
      product(up, begin, end, activations, x, count)
      for row in 0..<count {
        ck_gelu_gate(gate.out.row(row) + begin, gate.out.row(row) + begin, up.out.row(row) + begin, end - begin)
      }
    }
  }

  /// How a matrix wants its activations.
  enum Format: Equatable {
    case float32
    case int8(group: Int, evenOdd: Bool)

    init(_ matrix: WeightMatrix, quantizes: Bool) {
      self =
        quantizes && matrix.isQuantized
        ? .int8(group: Int(matrix.raw.group), evenOdd: matrix.raw.type == .CK_Q4) : .float32
    }
  }

  /// Quantises `count` rows of x; nil where the matrix takes float32.
  func prepare(_ format: Format, _ x: Rows, columns: Int, count: Int) -> ck_activations? {
    guard case .int8(let group, let evenOdd) = format else { return nil }
    let activations = ck_activations(
      values: UnsafeMutableRawPointer(workspace.base(.activationValues)).assumingMemoryBound(to: Int8.self),
      scales: workspace.base(.activationScales), sums: workspace.base(.activationSums), columns: columns,
      stride: columns + Workspace.activationGap, group: group, order: evenOdd ? .CK_EVEN_ODD : .CK_NATURAL)
    Parallel.forEach(count, unless: stop) {
      ck_quantize_activations(activations, x.base, x.stride, $0.lowerBound, $0.upperBound)
    }
    return activations
  }

  private func blocks(_ rows: Int) -> Int { (rows + Self.block - 1) / Self.block }

  /// One loop over the weight rows of all terms.
  private func run(_ terms: [Term], _ activations: ck_activations?, _ x: Rows, _ count: Int) {
    for term in terms { traffic.read(rows: term.matrix.rows, of: term.matrix) }
    let total = terms.reduce(0) { $0 + blocks($1.matrix.rows) }
    Parallel.forEach(total, grain: 4, unless: stop) { share in
      var start = 0
      for term in terms {
        let size = blocks(term.matrix.rows)
        let part = share.clamped(to: start..<start + size)
        if !part.isEmpty {
          let begin = (part.lowerBound - start) * Self.block
          let end = min((part.upperBound - start) * Self.block, term.matrix.rows)
          product(term, begin, end, activations, x, count)
        }
        start += size
      }
    }
  }

  private func product(
    _ term: Term, _ begin: Int, _ end: Int, _ activations: ck_activations?, _ x: Rows, _ count: Int
  ) {
    let (y, w) = (term.out, term.matrix.raw)
    if let activations {
      ck_affine_product(y.base, y.stride, w, activations, count, begin, end)
    } else if canonical || count <= Self.fewRows {
      ck_float_product(y.base, y.stride, w, x.base, x.stride, count, begin, end)
    } else {
      ck_blas_product(y.base, y.stride, w, x.base, x.stride, count, begin, end)
    }
  }
}
