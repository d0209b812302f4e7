import GemmaJSON
import GemmaRuntime

/// Head size and number of key-value heads of each layer, in the three ways in which they are published: one for all,
/// `global_head_dim` and `num_global_key_value_heads` for Gemma 4's full layers, or a map `per_layer_config`.
struct HeadParser {
  private static let headDimensions = 16...512

  private let text: JSONFields
  private let headDimension: Int
  private let keyValueHeads: Int
  private let fullHeadDimension: Int
  private let fullKeyValueHeads: Int
  private let overrides: JSONFields?

  init(_ text: JSONFields, _ family: FamilyDefaults, valuesFromKeys: Bool) throws(GemmaError) {
    self.text = text
    headDimension = try text.integer("head_dim", in: Self.headDimensions, default: 256)
    keyValueHeads = try text.integer("num_key_value_heads", in: 1...4096, default: family.keyValueHeads)
    overrides = family.architecture == .gemma4 ? try text.object("per_layer_config") : nil
    if family.architecture == .gemma4, overrides == nil {
      fullHeadDimension = try text.integer("global_head_dim", in: Self.headDimensions, default: 512)
      // transformers looks at this key only where keys and values are one projection.
      fullKeyValueHeads =
        valuesFromKeys
        ? try text.integer("num_global_key_value_heads", in: 1...4096, default: keyValueHeads) : keyValueHeads
    } else {
      fullHeadDimension = headDimension
      fullKeyValueHeads = keyValueHeads
    }
  }

  func shape(layer: Int, kind: AttentionKind) throws(GemmaError) -> (headDimension: Int, keyValueHeads: Int) {
    let dimension = kind == .full ? fullHeadDimension : headDimension
    let heads = kind == .full ? fullKeyValueHeads : keyValueHeads
    guard let overrides else { return (dimension, heads) }
    let byKind = try overrides.object(kind == .full ? "full_attention" : "sliding_attention")
    guard let own = try overrides.object(String(layer)) ?? byKind else { return (dimension, heads) }
    for key in own.members.keys where key != "head_dim" && key != "num_key_value_heads" {
      throw .unsupportedModel("per_layer_config overrides \"\(key)\" in layer \(layer)")
    }
    return (
      try own.integer("head_dim", in: Self.headDimensions, default: dimension),
      try own.integer("num_key_value_heads", in: 1...4096, default: heads)
    )
  }
}
