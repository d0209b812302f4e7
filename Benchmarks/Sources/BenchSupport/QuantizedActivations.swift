package import GemmaKernels

extension ck_activations {
  /// Room for rows of activations as products with weights of so many bits want them. Lives as long as the process.
  package init(rows: Int, columns: Int, bits: Int, group: Int) {
    let groups = rows * columns / group
    let stride = columns + 64  // as the models lay them out
    self.init(
      values: .allocate(capacity: rows * stride), scales: .allocate(capacity: groups),
      sums: .allocate(capacity: groups), columns: columns, stride: stride, group: group,
      order: bits == 4 ? .CK_EVEN_ODD : .CK_NATURAL)
  }

  /// Random rows, the same in every run.
  package static func random(rows: Int, columns: Int, bits: Int, group: Int) -> ck_activations {
    let activations = ck_activations(rows: rows, columns: columns, bits: bits, group: group)
    var random = Random()
    let x = random.floats(rows * columns)
    defer { x.deallocate() }
    ck_quantize_activations(activations, x, columns, 0, rows)
    return activations
  }
}
