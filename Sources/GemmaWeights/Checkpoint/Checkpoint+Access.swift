package import GemmaRuntime

extension Checkpoint {
  /// The matrix of a linear or embedding module, such as "layers.0.self_attn.q_proj", in the layout that it
  /// is stored in.
  /// - Throws: `.malformedFile` naming the tensor that is missing or has another shape, `.unsupportedModel` for a
  ///   type without kernels.
  package func matrix(_ module: String, rows: Int, columns: Int) throws(GemmaError) -> WeightMatrix {
    for layout in layouts {
      if let matrix = try layout.matrix(module, rows: rows, columns: columns, in: store) { return matrix }
    }
    return try PlainLayout.matrix(module, rows: rows, columns: columns, in: store)
  }

  /// The vector of this full name, such as "norm.weight"; `shift` is added to each element where it is used.
  package func vector(_ name: String, count: Int, shift: Float) throws(GemmaError) -> WeightVector {
    try PlainLayout.vector(name, count: count, shift: shift, in: store)
  }

  /// A single value, stored with the shape [1] or [].
  package func scalar(_ name: String) throws(GemmaError) -> Float { try PlainLayout.scalar(name, in: store) }

  /// Whether a tensor of this full, prefix-free name is stored, such as "layers.0.self_attn.k_proj.weight".
  package func contains(_ name: String) -> Bool { store.contains(name) }
}
