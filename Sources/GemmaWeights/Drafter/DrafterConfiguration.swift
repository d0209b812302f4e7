import Foundation
import GemmaJSON
import GemmaRuntime

/// The clusters through which a drafter's output head looks at the vocabulary.
package struct ClusteredHeadConfiguration: Sendable, Hashable {
  /// Clusters, equal in size, that share out the vocabulary.
  package let clusterCount: Int
  /// Pieces of one cluster.
  package let clusterSize: Int
  /// Clusters whose pieces are scored.
  package let selectedClusters: Int

  /// Pieces that are scored.
  package var selectedPieces: Int { selectedClusters * clusterSize }
}

/// The checked content of a drafter's config.json, of the model type `gemma4_assistant` or `gemma4_unified_assistant`.
package struct DrafterConfiguration: Sendable, Hashable {
  /// One of `modelTypes`.
  package let modelType: String
  /// The drafter's own layers, with its own widths; each as if it owned its keys. `bound` says whose they really are.
  package let layers: ModelConfiguration
  /// Width of the hidden states that the drafter takes from its target, and gives back.
  package let backboneHiddenSize: Int
  /// Nil where the output head scores the whole vocabulary.
  package let clusteredHead: ClusteredHeadConfiguration?

  package static let modelTypes: Set = ["gemma4_assistant", "gemma4_unified_assistant"]

  /// - Throws: `.malformedFile` naming the key, `.unsupportedModel` for a model that is no such drafter.
  init(_ file: JSONFields) throws(GemmaError) {
    guard let type = try file.string("model_type"), Self.modelTypes.contains(type) else {
      let found = file.members["model_type"].map { " (model_type \($0.description))" } ?? ""
      throw .unsupportedModel(
        "\(file.url.path) describes no drafter\(found); expected \(Self.modelTypes.sorted().joined(separator: " or "))")
    }
    modelType = type
    guard let text = try file.object("text_config") else {
      throw file.mismatch("text_config", expected: "the drafter's layers")
    }
    // Of the two places that may say so, transformers ties the drafter's output head by this one.
    guard try file.boolean("tie_word_embeddings", default: true) else {
      throw .unsupportedModel(
        "tie_word_embeddings is false in \(file.url.path); only tied output heads are implemented")
    }
    layers = try Self.layers(text, wrapper: file)
    backboneHiddenSize = try file.integer(
      "backbone_hidden_size", in: 1...ConfigurationParser.largest, default: type == "gemma4_assistant" ? 1536 : 3840)
    clusteredHead =
      try file.boolean("use_ordered_embeddings", default: false)
      ? Self.clusteredHead(file, vocabulary: layers.vocabularySize) : nil
  }

  private static func clusteredHead(
    _ file: JSONFields, vocabulary: Int
  ) throws(GemmaError) -> ClusteredHeadConfiguration {
    let count = try file.integer("num_centroids", in: 1...ConfigurationParser.largest, default: 2048)
    guard vocabulary % count == 0 else {
      throw file.error("num_centroids", "\(vocabulary) pieces cannot be shared out evenly over \(count) clusters")
    }
    return ClusteredHeadConfiguration(
      clusterCount: count, clusterSize: vocabulary / count,
      selectedClusters: try file.integer("centroid_intermediate_top_k", in: 1...count, default: min(32, count)))
  }

  /// The text part, after what a drafter must not have was refused: then it reads like that of any Gemma 4 in which
  /// every layer owns its keys.
  private static func layers(_ text: JSONFields, wrapper: JSONFields) throws(GemmaError) -> ModelConfiguration {
    let count = try text.integer("num_hidden_layers", in: 1...1024)
    // 0 is transformers' word for a key that was left out, and stands for all layers there too.
    let shared = try text.integer("num_kv_shared_layers", in: 0...1024, default: count)
    guard shared == count || shared == 0 else {
      throw text.error("num_kv_shared_layers", "a drafter owns no keys: expected all \(count) layers, found \(shared)")
    }
    let perLayer = try text.integer("hidden_size_per_layer_input", in: 0...ConfigurationParser.largest, default: 0)
    guard perLayer == 0 else {
      throw text.error("hidden_size_per_layer_input", "a drafter has no per-layer inputs; found \(perLayer)")
    }
    let perLayerPieces = try text.integer("vocab_size_per_layer_input", in: 0...ConfigurationParser.largest, default: 0)
    guard perLayerPieces == 0 else {
      throw text.error("vocab_size_per_layer_input", "a drafter has no per-layer inputs; found \(perLayerPieces)")
    }
    guard !text.has("final_logit_softcapping") else {
      throw .unsupportedModel(
        "final_logit_softcapping is set in \(text.url.path); caps on a drafter's scores are not implemented")
    }
    guard try !text.boolean("use_double_wide_mlp", default: false) else {
      throw text.error("use_double_wide_mlp", "a drafter's layers are all of one width")
    }
    var members = text.members
    members["num_kv_shared_layers"] = .integer(0)
    members["hidden_size_per_layer_input"] = .integer(0)
    members["vocab_size_per_layer_input"] = nil
    let plain = JSONFields(url: text.url, path: text.path, members: members)
    let type = try text.string("model_type") ?? "gemma4_text"
    guard let family = FamilyDefaults.of(modelType: type), family.architecture == .gemma4 else {
      throw .unsupportedModel(
        "a drafter with layers of model_type \"\(type)\" (\(text.url.path)); expected gemma4_text")
    }
    return try ConfigurationParser(text: plain, family: family).configuration(wrapper: wrapper)
  }
}
