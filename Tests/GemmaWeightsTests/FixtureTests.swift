import Foundation
import GemmaKernels
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

@Suite("Published checkpoint layouts")
struct FixtureTests {
  private func open(_ name: String) throws -> Checkpoint { try Checkpoint(at: Fixtures.model(name)) }

  @Test("every fixture and the demo model open, and their matrices and norms have the shapes the configuration implies")
  func opensAll() throws {
    let folders = try Fixtures.models() + [Fixtures.demo]
    #expect(folders.count == 17)
    for folder in folders {
      let checkpoint = try Checkpoint(at: folder)
      let model = checkpoint.configuration
      let shift: Float = model.architecture == .gemma3 ? 1 : 0
      let hidden = model.hiddenSize
      _ = try checkpoint.matrix("embed_tokens", rows: model.vocabularySize, columns: hidden)
      _ = try checkpoint.vector("norm.weight", count: hidden, shift: shift)
      if model.perLayerInputSize > 0 {
        let width = model.layers.count * model.perLayerInputSize
        _ = try checkpoint.matrix("embed_tokens_per_layer", rows: model.perLayerVocabularySize, columns: width)
        _ = try checkpoint.matrix("per_layer_model_projection", rows: width, columns: hidden)
      }
      for (index, layer) in model.layers.enumerated() {
        let path = "layers.\(index)."
        let queries = model.headCount * layer.headDimension
        _ = try checkpoint.matrix(path + "self_attn.q_proj", rows: queries, columns: hidden)
        _ = try checkpoint.matrix(path + "self_attn.o_proj", rows: hidden, columns: queries)
        _ = try checkpoint.vector(path + "self_attn.q_norm.weight", count: layer.headDimension, shift: shift)
        if layer.keyValueSource == nil {
          let keys = layer.keyValueHeads * layer.headDimension
          _ = try checkpoint.matrix(path + "self_attn.k_proj", rows: keys, columns: hidden)
          #expect(checkpoint.contains(path + "self_attn.v_proj.weight") == !layer.valuesFromKeys)
        }
        _ = try checkpoint.matrix(path + "mlp.gate_proj", rows: layer.feedForwardWidth, columns: hidden)
        _ = try checkpoint.matrix(path + "mlp.down_proj", rows: hidden, columns: layer.feedForwardWidth)
        if model.architecture == .gemma4 { #expect(try checkpoint.scalar(path + "layer_scalar").isFinite) }
        if model.architecture == .gemma3n {
          _ = try checkpoint.vector(path + "altup.correct_output_scale", count: hidden, shift: 0)
          _ = try checkpoint.matrix(path + "laurel.linear_left", rows: model.laurelRank, columns: hidden)
        }
      }
      #expect(checkpoint.generation.stopTokens == [1, 106])
    }
  }

  @Test("Gemma 3: attention scale, both rotary bases and linear interpolation of full layers only")
  func gemma3() throws {
    let plain = try open("gemma3-bf16").configuration
    #expect(plain.architecture == .gemma3)
    #expect(plain.attentionScale == Float(1 / 20.0.squareRoot()))
    #expect(plain.finalLogitSoftcap == nil)
    #expect(plain.perLayerInputSize == 0 && plain.firstSharedLayer == 5)
    #expect(plain.layers.map(\.kind) == [.sliding, .sliding, .full, .sliding, .full])
    #expect(plain.layers[0].rotary == RotaryConfiguration(theta: 10_000, rotatedPairs: 16, linearFactor: 1))
    for name in ["gemma3-f32-linear-rope", "gemma3-q4-g64"] {
      let model = try open(name).configuration
      #expect(model.layers[0].rotary == RotaryConfiguration(theta: 10_000, rotatedPairs: 16, linearFactor: 1))
      #expect(model.layers[1].rotary == RotaryConfiguration(theta: 1_000_000, rotatedPairs: 16, linearFactor: 8))
    }
  }

  @Test("Gemma 3n: widths per layer, sparsity, and shared layers that read the last owner of their kind")
  func gemma3n() throws {
    let model = try open("gemma3n-full").configuration
    #expect(model.architecture == .gemma3n)
    #expect(model.layers.map(\.feedForwardWidth) == [128, 96, 64, 64, 48, 48, 64])
    #expect(model.layers.map(\.activationSparsity) == [0.95, 0.95, 0, 0, 0, 0, 0])
    #expect(model.layers.map(\.keyValueSource) == [nil, nil, nil, nil, nil, 4, 3])
    #expect(model.firstSharedLayer == 5 && model.laurelRank == 16 && model.altupCorrectScale)
    #expect(model.finalLogitSoftcap == 30 && model.attentionScale == 1)
    #expect(model.vocabularySize == 275 && model.perLayerVocabularySize == 256 && model.perLayerInputSize == 16)
    let bare = try open("gemma3n-bare").configuration
    #expect(!bare.altupCorrectScale && bare.firstSharedLayer == 3)
    #expect(bare.layers.map(\.rotary.theta) == [20_000, 20_000, 500_000])
  }

  @Test("Gemma 4: two head sizes, proportional rotation, double-wide shared layers, values from keys")
  func gemma4() throws {
    let model = try open("gemma4-e").configuration
    #expect(model.layers.map(\.headDimension) == [32, 64, 32, 64, 32, 32, 64])
    #expect(model.layers.map(\.feedForwardWidth) == [64, 64, 64, 64, 64, 128, 128])
    #expect(model.layers.map(\.keyValueSource) == [nil, nil, nil, nil, nil, 4, 3])
    #expect(model.layers[1].rotary == RotaryConfiguration(theta: 1_000_000, rotatedPairs: 8, linearFactor: 1))
    #expect(model.layers[0].rotary == RotaryConfiguration(theta: 10_000, rotatedPairs: 16, linearFactor: 1))
    let keys = try open("gemma4-keqv").configuration
    #expect(keys.layers.map(\.valuesFromKeys) == [false, true, false, true])
    #expect(keys.layers.map(\.keyValueHeads) == [2, 1, 2, 1])
    let map = try open("gemma4-per-layer-config").configuration
    #expect(map.layers.map(\.headDimension) == [32, 32, 64])
    #expect(map.layers.map(\.keyValueHeads) == [2, 2, 1])
    #expect(try open("gemma4-big-heads").configuration.layers.map(\.headDimension) == [256, 512])
  }

  @Test("quantisation is decided per module: overrides by path, and plain matrices where no scales are stored")
  func overrides() throws {
    let checkpoint = try open("gemma3n-q4-g64")
    let down = try checkpoint.matrix("layers.0.mlp.down_proj", rows: 64, columns: 128)
    #expect(down.isQuantized && down.raw.type == .CK_Q8 && down.raw.group == 32)
    let up = try checkpoint.matrix("layers.1.mlp.up_proj", rows: 128, columns: 64)
    #expect(up.raw.type == .CK_Q4 && up.raw.group == 64 && up.raw.scale_type == .CK_BF16)
    #expect(up.byteCount == 128 * 32 + 2 * 128 * 2)
    let plain = try checkpoint.matrix("per_layer_model_projection", rows: 256, columns: 64)
    #expect(!plain.isQuantized && plain.raw.type == .CK_BF16)
  }

  @Test("shards are found through the index, and every tensor is listed with its file")
  func shards() throws {
    let checkpoint = try open("gemma3n-full")
    #expect(Set(checkpoint.tensors.map(\.fileName)).count == 3)
    #expect(checkpoint.tensors.count == 179)
    #expect(checkpoint.mappedBytes > checkpoint.tensors.map(\.byteCount).reduce(0, +))
  }

  @Test("a missing tensor and one of another shape are errors that name it")
  func missing() throws {
    let checkpoint = try open("gemma3-bf16")
    for (module, rows, text) in [("layers.9.mlp.up_proj", 80, "missing"), ("layers.0.mlp.up_proj", 81, "[81, 64]")] {
      let error = #expect(throws: GemmaError.self) { try checkpoint.matrix(module, rows: rows, columns: 64) }
      #expect(error?.errorDescription?.contains(module + ".weight") == true)
      #expect(error?.errorDescription?.contains(text) == true)
    }
    #expect(throws: GemmaError.self) { try checkpoint.vector("norm.weight", count: 63, shift: 1) }
    #expect(throws: GemmaError.self) { try checkpoint.scalar("norm.weight") }
  }
}
