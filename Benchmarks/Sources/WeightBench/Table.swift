import BenchSupport

/// The figures of one number of threads.
struct Table {
  var threads: Int
  /// Of each pass: seconds for all matrices of a shape.
  private var passes: [[Way: [String: Double]]] = []

  init(threads: Int) { self.threads = threads }

  mutating func add(_ pass: [Way: [String: Double]]) { passes.append(pass) }

  static func head() {
    Output.csv(
      ["threads", "shape", "matrices", "mb"] + Way.loops.map { "\($0.rawValue)_gb_per_s" }
        + ["product_gb_per_s", "share_of_best_loop", "share_least", "share_most"])
  }

  /// A line for each shape, in the order in which they first come, and one for all.
  func print(_ matrices: [StoredMatrix]) {
    var shapes: [String] = []
    for matrix in matrices where !shapes.contains(matrix.shape) { shapes.append(matrix.shape) }
    for shape in shapes { line(shape, matrices.filter { $0.shape == shape }) { $0[shape] ?? .nan } }
    line("all", matrices) { $0.values.reduce(0, +) }
  }

  private func line(_ name: String, _ matrices: [StoredMatrix], _ seconds: ([String: Double]) -> Double) {
    let bytes = Double(matrices.map(\.bytes).reduce(0, +))
    func speeds(_ way: Way) -> [Double] { passes.map { bytes / seconds($0[way] ?? [:]) } }
    let loops = Way.loops.map(speeds)
    let product = speeds(.product)
    // Within a pass, because memory changes its speed from minute to minute.
    let shares = product.indices.map { pass in product[pass] / (loops.map { $0[pass] }.max() ?? .nan) }
    Output.csv(
      ["\(threads)", name, "\(matrices.count)", (bytes / 1e6).formatted(1)]
        + loops.map { (Times($0).median / 1e9).formatted(1) }
        + [
          (Times(product).median / 1e9).formatted(1), Times(shares).median.formatted(3),
          (shares.min() ?? .nan).formatted(3), (shares.max() ?? .nan).formatted(3),
        ])
  }
}
