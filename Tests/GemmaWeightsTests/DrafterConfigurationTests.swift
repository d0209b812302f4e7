import Foundation
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

@Suite("config.json of a drafter")
struct DrafterConfigurationTests {
  private static let plain = """
    {"model_type":"gemma4_assistant","backbone_hidden_size":48,"use_ordered_embeddings":true,"num_centroids":4,\
    "centroid_intermediate_top_k":2,"text_config":{"model_type":"gemma4_text","vocab_size":16,"hidden_size":32,\
    "hidden_size_per_layer_input":0,"vocab_size_per_layer_input":0,"intermediate_size":64,"num_hidden_layers":2,\
    "num_kv_shared_layers":2,"num_attention_heads":2,"num_key_value_heads":1,"head_dim":16,"global_head_dim":32,\
    "sliding_window":8,"layer_types":["sliding_attention","full_attention"],"final_logit_softcapping":null}}
    """

  private func opened(_ config: String) throws -> DrafterCheckpoint {
    try Fixtures.withTemporaryFolder { folder in
      try SmallCheckpoint.write(config: config, to: folder)
      return try DrafterCheckpoint(at: folder)
    }
  }

  private func changed(_ old: String, _ new: String) -> String {
    #expect(Self.plain.contains(old))
    return Self.plain.replacing(old, with: new)
  }

  @Test("gives the layers' shapes, the target's width and the clusters")
  func values() throws {
    let configuration = try opened(Self.plain).configuration
    #expect(configuration.backboneHiddenSize == 48)
    #expect(configuration.clusteredHead?.clusterCount == 4)
    #expect(configuration.clusteredHead?.clusterSize == 4)
    #expect(configuration.clusteredHead?.selectedPieces == 8)
    #expect(configuration.layers.layers.map(\.headDimension) == [16, 32])
    #expect(configuration.layers.hiddenSize == 32)
    #expect(configuration.layers.finalLogitSoftcap == nil)
  }

  @Test("may leave out what transformers has a default for")
  func defaults() throws {
    // transformers takes 0 for a missing key: every layer reads the target's keys.
    let zero = try opened(changed("\"num_kv_shared_layers\":2", "\"num_kv_shared_layers\":0")).configuration
    #expect(try zero == opened(Self.plain).configuration)
    var text = changed("\"num_kv_shared_layers\":2,", "")
    text = text.replacing("\"backbone_hidden_size\":48,", with: "")
    #expect(try opened(text).configuration.backboneHiddenSize == 1536)
    text = text.replacing("gemma4_assistant", with: "gemma4_unified_assistant")
    text = text.replacing("gemma4_text", with: "gemma4_unified_text")
    text = text.replacing("\"use_ordered_embeddings\":true,", with: "")
    let unified = try opened(text).configuration
    #expect(unified.backboneHiddenSize == 3840)
    #expect(unified.clusteredHead == nil)
  }

  @Test(
    "is refused with the key named",
    arguments: [
      ("\"num_kv_shared_layers\":2", "\"num_kv_shared_layers\":1", "num_kv_shared_layers"),
      ("\"hidden_size_per_layer_input\":0", "\"hidden_size_per_layer_input\":16", "hidden_size_per_layer_input"),
      ("\"head_dim\":16", "\"use_double_wide_mlp\":true,\"head_dim\":16", "use_double_wide_mlp"),
      ("\"head_dim\":16", "\"enable_moe_block\":true,\"head_dim\":16", "enable_moe_block"),
      ("\"head_dim\":16", "\"attn_logit_softcapping\":50,\"head_dim\":16", "attn_logit_softcapping"),
      ("\"head_dim\":16", "\"attention_bias\":true,\"head_dim\":16", "attention_bias"),
      ("\"head_dim\":16", "\"tie_word_embeddings\":false,\"head_dim\":16", "tie_word_embeddings"),
      (
        "\"text_config\":{", "\"tie_word_embeddings\":false,\"text_config\":{\"tie_word_embeddings\":true,",
        "tie_word_embeddings"
      ),
      ("softcapping\":null", "softcapping\":30.0", "final_logit_softcapping"),
      ("softcapping\":null", "softcapping\":0", "final_logit_softcapping"),
      ("\"vocab_size_per_layer_input\":0", "\"vocab_size_per_layer_input\":16", "vocab_size_per_layer_input"),
      ("\"num_centroids\":4", "\"num_centroids\":3", "num_centroids"),
      ("\"num_centroids\":4", "\"num_centroids\":0", "num_centroids"),
      ("top_k\":2", "top_k\":5", "centroid_intermediate_top_k"),
      ("top_k\":2", "top_k\":0", "centroid_intermediate_top_k"),
      ("\"backbone_hidden_size\":48", "\"backbone_hidden_size\":0", "backbone_hidden_size"),
      ("\"text_config\"", "\"texts\"", "text_config"),
      ("\"gemma4_assistant\"", "\"gemma4\"", "describes no drafter"),
      ("\"gemma4_text\"", "\"gemma3_text\"", "gemma3_text"),
    ])
  func refused(old: String, new: String, name: String) throws {
    let error = #expect(throws: GemmaError.self) { _ = try opened(changed(old, new)) }
    #expect(error?.errorDescription?.contains(name) == true, "\(String(describing: error))")
  }

  @Test("is no configuration of a model")
  func notAModel() throws {
    let error = try SmallCheckpoint.failure(config: Self.plain)
    #expect(error?.errorDescription?.contains("describes a drafter") == true)
  }
}
