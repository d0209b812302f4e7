import Foundation
import GemmaTestSupport
import Testing

@Suite("Inspecting")
struct InspectTests {
  private func report(_ model: String) throws -> [String: Any] {
    let run = try CommandRun(["inspect", model, "--format", "json"])
    #expect(run.code == 0, "\(run.errors)")
    return try run.json()
  }

  @Test("parameters are counted by part, quantised or not, and scales and biases are none")
  func parts() throws {
    let json = try report(Fixtures.model("gemma3n-q4-g64").path)
    let parts = try #require(json["parts"] as? [String: [String: Int]])
    let count = parts.mapValues { $0["parameters"] ?? 0 }
    let config = try #require(
      try JSONSerialization.jsonObject(
        with: Data(contentsOf: Fixtures.model("gemma3n-q4-g64").appending(path: "config.json"))) as? [String: Any])
    let text = config["text_config"] as? [String: Any] ?? config
    func size(_ key: String) throws -> Int { try #require(text[key] as? Int, "\(key)") }
    let (hidden, layers) = (try size("hidden_size"), try size("num_hidden_layers"))
    let width = try size("hidden_size_per_layer_input")
    let (heads, shared, dimension) = (
      try size("num_attention_heads"), try size("num_key_value_heads"), try size("head_dim")
    )
    #expect(count["embedding"] == (try size("vocab_size")) * hidden)
    #expect(count["per_layer_embedding"] == (try size("vocab_size_per_layer_input")) * width * layers)
    // The fixture leaves out what shared layers do not use.
    let owners = layers - (try size("num_kv_shared_layers"))
    let (queries, keys) = (heads * dimension, shared * dimension)
    #expect(
      count["attention"] == layers * (2 * hidden * queries + dimension) + owners * (2 * hidden * keys + dimension))
    #expect(count["per_layer_input"] == width * layers * hidden + width + layers * (2 * hidden * width + hidden))
    #expect(count["laurel"] == layers * (2 * (try size("laurel_rank")) * hidden + hidden))
    #expect(count["altup"] == 6 * hidden * hidden + layers * (hidden + 16 + 64 + 4 * hidden + hidden))
    #expect(count["norms"] == layers * 4 * hidden + hidden)
    #expect(json["parameters"] as? Int == count.values.reduce(0, +))
  }

  @Test("a quantised model has the parameters of the one it came from, and each tensor tells its bits and group")
  func bits() throws {
    try Fixtures.withTemporaryFolder { folder in
      let plain = try report(Fixtures.model("gemma3-bf16").path)
      let out = folder.appending(path: "out").path
      #expect(try CommandRun(["quantize", Fixtures.model("gemma3-bf16").path, "-o", out, "--bits", "8"]).code == 0)
      let coded = try report(out)
      #expect(plain["parameters"] as? Int == coded["parameters"] as? Int)
      let tensors = try #require(coded["tensors"] as? [[String: Any]])
      let query = try #require(tensors.first { $0["name"] as? String == "layers.0.self_attn.q_proj.weight" })
      #expect(query["bits"] as? Int == 8 && query["group_size"] as? Int == 64)
      let norm = try #require(tensors.first { $0["name"] as? String == "norm.weight" })
      #expect(norm["bits"] as? Int == 16 && norm["group_size"] == nil && norm["parameters"] as? Int == 64)
      let text = try CommandRun(["inspect", out]).output
      #expect(text.contains("layers.*.self_attn.q_proj.weight") && text.contains("8 bits in groups of 64 (5)"))
    }
  }

  private static let drafterFile = Fixtures.demo4.appending(path: "drafter/model.safetensors")

  @Test("a drafter in the model's folder is shown, and is part of the memory plan")
  func drafter() throws {
    let json = try report("demo4")
    let drafter = try #require(json["drafter"] as? [String: Any])
    #expect(Set(drafter.keys) == ["folder", "content"])
    let content = try #require(drafter["content"] as? [String: Any])
    let keys: Set = [
      "kind", "layers", "hidden_size", "parameters", "clusters", "selected_clusters", "mapped_bytes", "workspace_bytes",
    ]
    #expect(Set(content.keys) == keys)
    #expect(content["kind"] as? String == "gemma4_assistant" && content["layers"] as? Int == 4)
    let size = try Data(contentsOf: Self.drafterFile).count
    #expect(content["mapped_bytes"] as? Int == size)
    let (plan, info) = (json["plan"] as? [String: Int], json["info"] as? [String: Any])
    #expect(try plan?["mapped_bytes"] == #require(info?["mapped_bytes"] as? Int) + size)
    #expect(try plan?["drafter_bytes"] == #require(content["workspace_bytes"] as? Int))
    let text = try CommandRun(["inspect", "demo4"]).output
    #expect(text.contains("gemma4_assistant in drafter/, 4 layers") && text.contains("workspace of the drafter"))
    #expect(try report("demo")["drafter"] == nil)
  }

  @Test(
    "a drafter that cannot be used is told of beside the model's own report, which stays whole",
    arguments: ["truncated", "no configuration", "another model's"])
  func unusable(damage: String) throws {
    try Fixtures.withTemporaryFolder { folder in
      let source = damage == "another model's" ? Fixtures.model("gemma4-e") : Fixtures.demo4
      let model = folder.appending(path: "model")
      try FileManager.default.copyItem(at: source, to: model)
      let drafter = model.appending(path: "drafter")
      var words = "cut short"
      switch damage {
      case "truncated":
        try Data(contentsOf: Self.drafterFile).dropLast(100).write(
          to: drafter.appending(path: "model.safetensors"))
      case "no configuration":
        try FileManager.default.removeItem(at: drafter.appending(path: "config.json"))
        words = "no config.json"
      default:
        try FileManager.default.copyItem(at: Self.drafterFile.deletingLastPathComponent(), to: drafter)
        words = "does not fit the model"
      }
      let (whole, json) = (try report(source.path), try report(model.path))
      let told = try #require(json["drafter"] as? [String: Any])
      #expect((told["problem"] as? String)?.contains(words) == true && told["content"] == nil, "\(told)")
      #expect(json["parameters"] as? Int == whole["parameters"] as? Int)
      let plan = try #require(json["plan"] as? [String: Int])
      #expect(plan["drafter_bytes"] == 0)
      let text = try CommandRun(["inspect", model.path])
      #expect(text.code == 0 && text.output.contains("drafter        unusable") && text.output.contains(words))
      #expect(text.output.contains("quantisation by tensor"))
    }
  }

  @Test("mixed widths show beside each other, and --tensors adds a line per tensor")
  func text() throws {
    let model = Fixtures.model("gemma3n-q4-g64").path
    let short = try CommandRun(["inspect", model]).output
    let long = try CommandRun(["inspect", model, "--tensors"]).output
    #expect(long.hasPrefix(short))
    #expect(short.contains("8 bits in groups of 32") && short.contains("4 bits in groups of 64"))
    #expect(long.contains("layers.0.mlp.down_proj.scales\t"))
  }
}
