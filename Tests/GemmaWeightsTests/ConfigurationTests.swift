import Foundation
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

@Suite("config.json")
struct ConfigurationTests {
  private static func changed(_ old: String, _ new: String) -> String {
    SmallCheckpoint.config.replacing(old, with: new, maxReplacements: 1)
  }

  /// Rotary parameters with these for full layers.
  private static func rotary(_ full: String) -> String {
    "\"rope_parameters\":{\"sliding_attention\":{\"rope_theta\":10000},\"full_attention\":\(full)}"
  }

  /// Why the folder cannot be opened; empty where it can.
  private static func reason(_ folder: URL) -> String {
    do throws(GemmaError) {
      _ = try Checkpoint(at: folder)
      return ""
    } catch {
      return error.errorDescription ?? ""
    }
  }

  @Test(
    "a missing or senseless value is a malformed file whose message names the key",
    arguments: [
      ("\"hidden_size\":32,", "", "hidden_size"),
      ("\"intermediate_size\":64,", "", "intermediate_size"),
      ("\"num_hidden_layers\":2,", "", "num_hidden_layers"),
      ("\"model_type\":\"gemma4_text\",", "", "model_type"),
      ("\"vocab_size\":2", "\"vocab_size\":0", "vocab_size"),
      ("\"vocab_size\":2", "\"vocab_size\":-1", "vocab_size"),
      ("\"vocab_size\":2", "\"vocab_size\":2.5", "vocab_size"),
      ("\"vocab_size\":2", "\"vocab_size\":true", "vocab_size"),
      ("\"vocab_size\":2", "\"vocab_size\":16777216", "vocab_size"),
      ("\"vocab_size\":2", "\"vocab_size\":99999999999999999999", "vocab_size"),
      ("\"num_hidden_layers\":2", "\"num_hidden_layers\":100000000", "num_hidden_layers"),
      ("\"num_hidden_layers\":2", "\"num_hidden_layers\":3", "layer_types"),
      ("\"num_key_value_heads\":1", "\"num_key_value_heads\":3", "num_key_value_heads"),
      ("\"head_dim\":16", "\"head_dim\":1024", "head_dim"),
      ("\"sliding_window\":8", "\"sliding_window\":0", "sliding_window"),
      ("\"sliding_window\":8", "\"final_logit_softcapping\":0", "final_logit_softcapping"),
      ("\"sliding_window\":8", "\"final_logit_softcapping\":\"30\"", "final_logit_softcapping"),
      ("\"sliding_window\":8", "\"rms_norm_eps\":0", "rms_norm_eps"),
      ("\"sliding_window\":8", "\"num_kv_shared_layers\":2", "num_kv_shared_layers"),
      ("\"sliding_window\":8", "\"num_kv_shared_layers\":1", "num_kv_shared_layers"),
      ("\"sliding_window\":8", rotary("{\"rope_theta\":0}"), "rope_theta"),
      ("\"sliding_window\":8", rotary("{\"rope_theta\":1}"), "rope_theta"),
      ("\"sliding_window\":8", rotary("{\"rope_theta\":\"1e6\"}"), "rope_theta"),
      ("\"sliding_window\":8", rotary("{}"), "rope_theta"),
      ("\"sliding_window\":8", rotary("null"), "full_attention"),
      ("\"intermediate_size\":64", "\"intermediate_size\":[64]", "intermediate_size"),
      ("\"sliding_window\":8", "\"sliding_window\":8,\"sliding_window\":9", "twice"),
      ("\"sliding_window\":8", "\"final_logit_softcapping\":NaN", "value"),
    ])
  func malformed(_ change: (old: String, new: String, key: String)) throws {
    let error = try SmallCheckpoint.failure(config: Self.changed(change.old, change.new))
    guard case .malformedFile(_, let reason)? = error else {
      Issue.record("expected a malformed file, got \(String(describing: error))")
      return
    }
    #expect(reason.contains(change.key), "\(reason)")
  }

  @Test(
    "what the forward pass does not have is unsupported, and the message names it",
    arguments: [
      ("gemma4_text", "llama", "llama"),
      ("\"sliding_window\":8", "\"enable_moe_block\":true", "enable_moe_block"),
      ("\"sliding_window\":8", "\"tie_word_embeddings\":false", "tie_word_embeddings"),
      ("\"sliding_window\":8", "\"attention_bias\":true", "attention_bias"),
      ("\"sliding_window\":8", "\"attn_logit_softcapping\":50", "attn_logit_softcapping"),
      ("\"sliding_window\":8", "\"hidden_activation\":\"silu\"", "silu"),
      ("\"sliding_window\":8", "\"use_bidirectional_attention\":\"all\"", "use_bidirectional_attention"),
      ("\"head_dim\":16", "\"head_dim\":24", "head_dim"),
      ("\"sliding_attention\",", "\"chunked_attention\",", "chunked_attention"),
      ("\"bits\":4", "\"bits\":3", "3 bits"),
      ("\"group_size\":32", "\"group_size\":16", "16"),
      ("\"bits\":4", "\"bits\":4,\"mode\":\"mxfp4\"", "mxfp4"),
      ("\"bits\":4", "\"bits\":4,\"language_model.model.embed_tokens\":{\"bits\":6}", "embed_tokens"),
      ("\"quantization\":{", "\"quantization_config\":{\"quant_method\":\"gemma\",", "gemma"),
      ("\"sliding_window\":8", rotary("{\"rope_type\":\"yarn\",\"rope_theta\":10000}"), "yarn"),
    ])
  func unsupported(_ change: (old: String, new: String, word: String)) throws {
    let error = try SmallCheckpoint.failure(config: Self.changed(change.old, change.new))
    guard case .unsupportedModel(let reason)? = error else {
      Issue.record("expected an unsupported model, got \(String(describing: error))")
      return
    }
    #expect(reason.contains(change.word), "\(reason)")
  }

  @Test("left-out keys take the values transformers assumes for them")
  func defaults() throws {
    let needed = "\"hidden_size\":32,\"intermediate_size\":64,\"num_hidden_layers\":12}"
    let gemma3 = try SmallCheckpoint.configuration("{\"model_type\":\"gemma3_text\"," + needed)
    #expect(gemma3.vocabularySize == 262_208 && gemma3.slidingWindow == 4096 && gemma3.attentionScale == 0.0625)
    #expect(gemma3.layers.indices.filter { gemma3.layers[$0].kind == .full } == [5, 11])
    #expect(gemma3.finalLogitSoftcap == nil && gemma3.maximumPositions == 131_072)
    let gemma3n = try SmallCheckpoint.configuration(
      "{\"model_type\":\"gemma3n_text\",\"num_kv_shared_layers\":2," + needed)
    #expect(gemma3n.vocabularySize == 262_400 && gemma3n.perLayerInputSize == 256 && gemma3n.laurelRank == 64)
    #expect(gemma3n.layers.map(\.activationSparsity) == Array(repeating: 0.95, count: 10) + [0, 0])
    #expect(gemma3n.layers.indices.filter { gemma3n.layers[$0].kind == .full } == [4, 9])
    #expect(gemma3n.finalLogitSoftcap == 30 && gemma3n.firstSharedLayer == 10)
    let gemma4 = try SmallCheckpoint.configuration("{\"model_type\":\"gemma4_text\"," + needed)
    #expect(gemma4.layers.map(\.headDimension) == [256, 256, 256, 256, 256, 512, 256, 256, 256, 256, 256, 512])
    #expect(gemma4.layers[5].rotary == RotaryConfiguration(theta: 1_000_000, rotatedPairs: 64, linearFactor: 1))
    #expect(gemma4.finalLogitSoftcap == nil && gemma4.perLayerInputSize == 256)
  }

  @Test("null switches the soft cap off where the family has one by default")
  func nullSoftcap() throws {
    let config = Self.changed("\"sliding_window\":8", "\"final_logit_softcapping\":null")
      .replacing("gemma4_text", with: "gemma3n_text")
      .replacing("\"hidden_size_per_layer_input\":0", with: "\"num_kv_shared_layers\":0")
    #expect(try SmallCheckpoint.configuration(config).finalLogitSoftcap == nil)
  }

  @Test("the older pattern key of Gemma 3 stands in for missing layer types")
  func slidingWindowPattern() throws {
    let config = """
      {"model_type":"gemma3_text","hidden_size":32,"intermediate_size":64,"num_hidden_layers":4,\
      "sliding_window_pattern":2}
      """
    #expect(try SmallCheckpoint.configuration(config).layers.map(\.kind) == [.sliding, .full, .sliding, .full])
  }

  @Test("global key-value heads count only where keys serve as values, as in transformers")
  func globalHeads() throws {
    let ignored = Self.changed("\"sliding_window\":8", "\"num_global_key_value_heads\":2")
    #expect(try SmallCheckpoint.configuration(ignored).layers.map(\.keyValueHeads) == [1, 1])
    let used = ignored.replacing("\"vocab_size\"", with: "\"attention_k_eq_v\":true,\"vocab_size\"")
    #expect(try SmallCheckpoint.configuration(used).layers.map(\.keyValueHeads) == [1, 2])
  }

  @Test("stop tokens come from generation_config.json, then config.json, then are 1; the rest is optional")
  func generation() throws {
    try Fixtures.withTemporaryFolder { folder in
      let file = folder.appending(path: "generation_config.json")
      try SmallCheckpoint.write(to: folder)
      #expect(try Checkpoint(at: folder).generation.stopTokens == [1])
      try SmallCheckpoint.write(config: Self.changed("{", "{\"eos_token_id\":[1,106],"), to: folder)
      #expect(try Checkpoint(at: folder).generation.stopTokens == [1, 106])
      try Data("{\"eos_token_id\":[1,106,50],\"top_k\":64,\"top_p\":0.95,\"temperature\":1.0}".utf8).write(to: file)
      let generation = try Checkpoint(at: folder).generation
      #expect(generation.stopTokens == [1, 106, 50])
      #expect(generation.topK == 64 && generation.topP == 0.95 && generation.temperature == 1)
      try Data("{\"do_sample\":false,\"eos_token_id\":7}".utf8).write(to: file)
      #expect(try Checkpoint(at: folder).generation.temperature == 0)
      let bad = ["\"1\"", "true", "1.5", "-1", "{}", "[1]", "99999999"].flatMap { id in
        ["bos_token_id", "eos_token_id", "pad_token_id"].map { (key: $0, value: $0.hasPrefix("eos") ? "[\(id)]" : id) }
      }
      for (key, value) in bad {
        try Data("{\"\(key)\":\(value)}".utf8).write(to: file)
        #expect(Self.reason(folder).contains(key), "generation_config.json, \(key): \(value)")
        // generation_config.json has what is used, and config.json is looked at all the same.
        try Data("{\"eos_token_id\":7}".utf8).write(to: file)
        for config in [
          Self.changed("{", "{\"\(key)\":\(value),"),
          "{\"model_type\":\"gemma4\",\"text_config\":\(Self.changed("{", "{\"\(key)\":\(value),"))}",
        ] {
          try SmallCheckpoint.write(config: config, to: folder)
          #expect(Self.reason(folder).contains(key), "config.json, \(key): \(value)")
        }
        try SmallCheckpoint.write(to: folder)
      }
      for bad in ["{\"eos_token_id\":-1}", "{\"eos_token_id\":\"1\"}", "{\"top_p\":7}", "{\"temperature\":-1}", "[]"] {
        try Data(bad.utf8).write(to: file)
        #expect(throws: GemmaError.self, "\(bad)") { try Checkpoint(at: folder) }
      }
    }
  }

  @Test(
    "special ids of a wrong kind are errors that name file and key, also where another file decides",
    arguments: ["eos_token_id", "bos_token_id", "pad_token_id"],
    ["\"1\"", "-1", "1.5", "true", "[[1]]", "[\"1\"]", "[1,-1]", "{}", "16777216", "99999999999999999999"])
  func specialIDs(_ key: String, _ value: String) throws {
    let member = "\"\(key)\":\(value),"
    let wrapped = "{\(member)\"text_config\":\(SmallCheckpoint.config)}"
    let inner = "{\"text_config\":\(Self.changed("{", "{\(member)"))}"
    for config in [Self.changed("{", "{\(member)"), wrapped, inner] {
      try Fixtures.withTemporaryFolder { folder in
        try SmallCheckpoint.write(config: config, to: folder)
        try Data("{\"eos_token_id\":1}".utf8).write(to: folder.appending(path: "generation_config.json"))
        let error = #expect(throws: GemmaError.self, "\(config)") { try Checkpoint(at: folder) }
        guard case .malformedFile(let url, let reason)? = error else {
          Issue.record("expected a malformed file, got \(String(describing: error))")
          return
        }
        #expect(url.lastPathComponent == "config.json" && reason.contains(key))
      }
    }
  }

  @Test("special ids that are absent, null or fit are no errors")
  func fittingIDs() throws {
    for member in ["", "\"bos_token_id\":2,\"pad_token_id\":0,", "\"bos_token_id\":null,\"eos_token_id\":[],"] {
      #expect(try SmallCheckpoint.failure(config: Self.changed("{", "{\(member)")) == nil)
    }
  }
}
