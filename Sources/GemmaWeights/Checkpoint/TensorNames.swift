/// Exporters put different paths in front of the same tensor; inside this package names have none.
enum TensorNames {
  private static let prefixes = ["model.language_model.", "language_model.model.", "model.", "language_model."]

  /// "model.language_model.layers.0.mlp.up_proj.weight" -> "layers.0.mlp.up_proj.weight".
  static func canonical(_ name: String) -> String {
    for prefix in prefixes where name.hasPrefix(prefix) { return String(name.dropFirst(prefix.count)) }
    return name
  }

  /// Tables of which a token needs single rows, so that reading ahead would only evict useful pages.
  static func isReadByRow(_ name: String) -> Bool { name.hasPrefix("embed_tokens_per_layer.") }
}
