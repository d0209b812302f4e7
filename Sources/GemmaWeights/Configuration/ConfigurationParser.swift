import Foundation
import GemmaJSON
import GemmaRuntime

/// Reads a config.json of either published style: the text model's keys at the top, or inside `text_config`.
struct ConfigurationParser {
  /// Largest width, count or id: exact in a float32, and products of two of them are far from overflowing.
  static let largest = (1 << 24) - 1

  let text: JSONFields
  let family: FamilyDefaults

  static func parse(_ file: JSONFields) throws(GemmaError) -> ModelConfiguration {
    if let type = try file.string("model_type"), DrafterConfiguration.modelTypes.contains(type) {
      throw .unsupportedModel("\(file.url.path) describes a drafter (\(type)): it cannot run without its model")
    }
    var text = file
    if let inner = try file.object("text_config") { text = inner }
    let holder = text.has("model_type") ? text : file
    guard let modelType = try holder.string("model_type") else {
      throw file.mismatch("model_type", expected: "a model type")
    }
    guard let family = FamilyDefaults.of(modelType: modelType) else {
      throw .unsupportedModel(
        "model_type \"\(modelType)\" in \(file.url.path); this package runs gemma3, gemma3n and gemma4")
    }
    return try ConfigurationParser(text: text, family: family).configuration(wrapper: file)
  }

  func configuration(wrapper: JSONFields) throws(GemmaError) -> ModelConfiguration {
    try rejectUnsupported(wrapper)
    let count = try text.integer("num_hidden_layers", in: 1...1024)
    let firstShared = try count - sharedLayers(of: count)
    let layers = try LayerParser(self, count: count, firstShared: firstShared).layers()
    let vocabulary = try text.integer("vocab_size", in: 1...Self.largest, default: family.vocabularySize)
    let perLayerVocabulary = try text.integer(
      "vocab_size_per_layer_input", in: 1...Self.largest, default: 262_144)
    let scalar = try text.positive("query_pre_attn_scalar", upTo: 1e6, default: 256)
    return ModelConfiguration(
      architecture: family.architecture,
      vocabularySize: vocabulary,
      perLayerVocabularySize: perLayerVocabulary,
      hiddenSize: try text.integer("hidden_size", in: 1...Self.largest),
      perLayerInputSize: try perLayerInputSize(),
      headCount: try headCount(),
      slidingWindow: try text.integer("sliding_window", in: 1...Self.largest, default: family.slidingWindow),
      maximumPositions: try text.integer(
        "max_position_embeddings", in: 1...Self.largest, default: family.maximumPositions),
      rmsNormEpsilon: Float(try text.positive("rms_norm_eps", upTo: 1, default: 1e-6)),
      finalLogitSoftcap: try softcap(),
      attentionScale: family.architecture == .gemma3 ? Float(1 / scalar.squareRoot()) : 1,
      laurelRank: family.architecture == .gemma3n
        ? try text.integer("laurel_rank", in: 1...Self.largest, default: 64) : 0,
      altupCorrectScale: family.architecture == .gemma3n
        ? try text.boolean("altup_correct_scale", default: true) : false,
      layers: layers,
      firstSharedLayer: firstShared)
  }

  func headCount() throws(GemmaError) -> Int {
    try text.integer("num_attention_heads", in: 1...4096, default: family.headCount)
  }

  private func perLayerInputSize() throws(GemmaError) -> Int {
    guard let absent = family.perLayerInputSize else { return 0 }
    if text.members["hidden_size_per_layer_input"] == .null { return 0 }
    let least = family.architecture == .gemma3n ? 1 : 0
    return try text.integer("hidden_size_per_layer_input", in: least...Self.largest, default: absent)
  }

  /// Null switches the cap off; a missing key takes the family's default; 0 and everything that is no positive number
  /// is an error, because tanh(x / 0) would quietly make every logit equal.
  private func softcap() throws(GemmaError) -> Float? {
    let key = "final_logit_softcapping"
    if text.members[key] == .null { return nil }
    guard text.has(key) else { return family.finalLogitSoftcap.map { Float($0) } }
    return Float(try text.positive(key, upTo: 1e6))
  }

  private func sharedLayers(of count: Int) throws(GemmaError) -> Int {
    if family.architecture == .gemma3 { return 0 }
    return try text.integer("num_kv_shared_layers", in: 0...(count - 1), default: min(family.sharedLayers, count))
  }

  /// Branches of these families that the forward pass does not have: running on would give wrong text.
  private func rejectUnsupported(_ wrapper: JSONFields) throws(GemmaError) {
    if try text.boolean("enable_moe_block", default: false) {
      throw .unsupportedModel("mixture-of-experts layers (enable_moe_block) are not implemented; use a dense Gemma 4")
    }
    if try text.boolean("attention_bias", default: false) {
      throw .unsupportedModel("attention_bias is true, but these families have no biases")
    }
    if text.has("attn_logit_softcapping") {
      throw .unsupportedModel("attn_logit_softcapping is set; caps on attention scores are not implemented")
    }
    let tied = try text.boolean("tie_word_embeddings", default: wrapper.boolean("tie_word_embeddings", default: true))
    if !tied { throw .unsupportedModel("tie_word_embeddings is false; only tied output heads are implemented") }
    let key = text.has("hidden_activation") ? "hidden_activation" : "hidden_act"
    let activation = try text.string(key) ?? "gelu_pytorch_tanh"
    if activation != "gelu_pytorch_tanh" {
      throw .unsupportedModel("hidden_activation \"\(activation)\"; expected gelu_pytorch_tanh")
    }
    switch text["use_bidirectional_attention"] {
    case nil, .boolean(false)?, .string("vision")?: break  // "vision" concerns image tokens only
    case let value?:
      throw .unsupportedModel("use_bidirectional_attention is \(value.description); only causal models are implemented")
    }
    if family.architecture == .gemma3n {
      guard try text.integer("altup_num_inputs", in: 1...64, default: 4) == 4,
        try text.integer("altup_active_idx", in: 0...63, default: 0) == 0
      else { throw .unsupportedModel("AltUp is implemented for 4 streams with stream 0 active") }
    }
  }
}
