import GemmaRuntime

/// How a checkpoint names and combines stored tensors into weight matrices.
protocol WeightLayout: Sendable {
  /// The matrix [rows, columns] of a linear or embedding module, such as "layers.0.self_attn.q_proj"; nil where the
  /// module is not stored in this layout.
  /// - Throws: `.malformedFile` naming the tensor that is missing or has another shape, `.unsupportedModel` for what
  ///   has no kernels.
  func matrix(_ module: String, rows: Int, columns: Int, in store: TensorStore) throws(GemmaError) -> WeightMatrix?

  /// What the stored tensor of this name holds; nil where it is no part of this layout.
  func content(of name: String, in store: TensorStore) -> TensorContent?
}

/// What a stored tensor holds of a model.
struct TensorContent: Sendable, Hashable {
  /// Parameters of the model in it: codes are counted one by one, what only scales them not at all.
  let parameterCount: Int
  /// Bits of one element, which is one code in a quantised matrix.
  let bits: Int
  /// Weights that share a scale; nil where the tensor holds no codes.
  let groupSize: Int?
}
