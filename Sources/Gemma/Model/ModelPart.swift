/// The parts by which parameters and bytes of a model are counted.
public enum ModelPart: String, Sendable, Hashable, Codable, CodingKeyRepresentable, CaseIterable {
  /// The table of token embeddings, which makes the logits too.
  case embedding
  /// Gemma 3n's and 4's table of embeddings for each layer.
  case perLayerEmbedding = "per_layer_embedding"
  /// Queries, keys, values and output of attention, with its norms.
  case attention
  /// The gated feed-forward networks.
  case feedForward = "feed_forward"
  /// What brings a layer's share of the per-layer embeddings into the residual stream.
  case perLayerInput = "per_layer_input"
  /// Gemma 3n's low-rank shortcut.
  case laurel
  /// Gemma 3n's four residual streams.
  case altup
  /// Norms outside the parts above, and layer scalars.
  case norms
  /// A stored copy of the embedding, which this package does not read.
  case tiedHead = "tied_head"
  /// Vision and audio towers with their projections, which this package does not read.
  case towers

  /// The part of a tensor with a prefix-free name.
  init(tensor name: String) {
    let parts = name.split(separator: ".")
    // "layers.3.mlp.up_proj.weight": what follows the layer's number decides.
    let key = parts.first == "layers" && parts.count > 2 ? parts[2] : parts.first ?? ""
    self =
      switch key {
      case "embed_tokens": .embedding
      case "embed_tokens_per_layer": .perLayerEmbedding
      case "self_attn": .attention
      case "mlp": .feedForward
      case "per_layer_input_gate", "per_layer_projection", "post_per_layer_input_norm", "per_layer_model_projection",
        "per_layer_projection_norm":
        .perLayerInput
      case "laurel": .laurel
      case "altup", "altup_projections", "altup_unembed_projections": .altup
      case "lm_head": .tiedHead
      case "norm": .norms
      default: parts.first == "layers" ? .norms : .towers
      }
  }

  /// Whether the part belongs to the language model's parameters, each counted once.
  public var isText: Bool { self != .tiedHead && self != .towers }
}
