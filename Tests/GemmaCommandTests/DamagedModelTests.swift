import Foundation
import GemmaTestSupport
import Testing

@Suite("Damaged models")
struct DamagedModelTests {
  /// A fixture's folder, copied so that it can be damaged.
  private static func withCopy(of name: String, _ body: (URL) throws -> Void) throws {
    try Fixtures.withTemporaryFolder { folder in
      let copy = folder.appending(path: "model")
      try FileManager.default.copyItem(at: Fixtures.model(name), to: copy)
      try body(copy)
    }
  }

  private static func run(_ model: URL) throws -> CommandRun {
    try CommandRun(["run", model.path, "--token-ids", "2,5,9", "-n", "2", "--ignore-eos", "--temperature", "0"])
  }

  /// Changes the header of a safetensors file and leaves the data as they are.
  private static func rewrite(_ file: URL, _ change: (inout [String: Any]) throws -> Void) throws {
    let bytes = try Data(contentsOf: file)
    let length = bytes.prefix(8).enumerated().reduce(0) { $0 | Int($1.element) << ($1.offset * 8) }
    var header = try #require(
      try JSONSerialization.jsonObject(with: bytes[8..<(8 + length)]) as? [String: Any])
    try change(&header)
    let text = try JSONSerialization.data(withJSONObject: header)
    try FileManager.default.removeItem(at: file)
    try (withUnsafeBytes(of: UInt64(text.count).littleEndian) { Data($0) } + text + bytes[(8 + length)...])
      .write(to: file)
  }

  @Test(
    "a missing, misshapen or mistyped tensor of each family is named",
    arguments: [
      ("gemma3-bf16", "layers.1.mlp.up_proj.weight"), ("gemma3-bf16", "norm.weight"),
      ("gemma3n-bare", "layers.1.altup.prediction_coefs.weight"),
      ("gemma3n-bare", "layers.0.laurel.linear_left.weight"), ("gemma3n-bare", "embed_tokens_per_layer.weight"),
      ("gemma4-e", "layers.0.per_layer_input_gate.weight"), ("gemma4-e", "layers.2.self_attn.q_norm.weight"),
      ("gemma4-keqv", "layers.0.self_attn.v_proj.weight"), ("gemma4-keqv", "layers.1.layer_scalar"),
      ("gemma4-q4-g64", "layers.0.mlp.down_proj.scales"), ("gemma4-q4-g64", "layers.0.mlp.down_proj.biases"),
      ("gemma4-q4-g64", "embed_tokens.weight"),
    ])
  func tensors(_ model: String, _ name: String) throws {
    for damage in ["missing", "shape", "type"] {
      try Self.withCopy(of: model) { folder in
        try Self.rewrite(folder.appending(path: "model.safetensors")) { header in
          let key = try #require(header.keys.first { $0.hasSuffix(name) })
          var entry = try #require(header[key] as? [String: Any])
          let shape = try #require(entry["shape"] as? [Int])
          if damage == "missing" {
            header[key] = nil
            return
          }
          if damage == "shape" { entry["shape"] = shape + [1] }
          if damage == "type" {
            let width = ["F32": "I32", "U32": "I32"][entry["dtype"] as? String ?? ""] ?? "I16"
            entry["dtype"] = width
          }
          header[key] = entry
        }
        let run = try Self.run(folder)
        #expect(run.code == (damage == "type" ? 69 : 1), "\(damage): \(run.errors)")
        // Without scales the codes are what is wrong.
        let named = damage == "missing" && name.hasSuffix(".scales") ? "layers.0.mlp.down_proj" : name
        #expect(run.errors.contains(named), "\(damage): \(run.errors)")
        #expect(run.output.isEmpty)
      }
    }
  }

  @Test(
    "a shard index that lies is an error that names the file or the tensor",
    arguments: [
      ("missing shard", "model-00002-of-00003.safetensors"), ("wrong shard", "is missing, though the index"),
      ("two paths", "are the same tensor"), ("outside", "a safetensors file in this folder"),
      ("itself", "a safetensors file in this folder"), ("unlisted", "is missing, expected"),
      ("folder", "expected a regular file, found a folder"), ("loop", "model-00002-of-00003.safetensors"),
      ("no map", "weight_map"), ("not JSON", "malformed"),
    ])
  func shards(_ damage: String, _ message: String) throws {
    try Self.withCopy(of: "gemma3n-full") { folder in
      let index = folder.appending(path: "model.safetensors.index.json")
      let shard = folder.appending(path: "model-00002-of-00003.safetensors")
      var json = try #require(
        try JSONSerialization.jsonObject(with: Data(contentsOf: index)) as? [String: Any])
      var map = try #require(json["weight_map"] as? [String: String])
      // One that is needed: the fixture also has keys and values that nothing reads.
      let name = try #require(
        map.filter { $0.value == shard.lastPathComponent && $0.key.contains(".mlp.") }.keys.min())
      switch damage {
      case "missing shard": try FileManager.default.removeItem(at: shard)
      case "wrong shard": map[name] = "model-00001-of-00003.safetensors"
      case "two paths":
        let first = try #require(map.filter { $0.value == "model-00001-of-00003.safetensors" }.keys.min())
        let twin = first.replacing("model.language_model.", with: "language_model.model.")
        try Self.rewrite(shard) { header in header[twin] = header.removeValue(forKey: name) }
        map[name] = nil
        map[twin] = shard.lastPathComponent
      case "outside": map[name] = "../\(shard.lastPathComponent)"
      case "itself": map[name] = index.lastPathComponent
      case "unlisted": map[name] = nil
      case "folder", "loop":
        try FileManager.default.removeItem(at: shard)
        if damage == "folder" {
          try FileManager.default.createDirectory(at: shard, withIntermediateDirectories: false)
        } else {
          try FileManager.default.createSymbolicLink(atPath: shard.path, withDestinationPath: shard.lastPathComponent)
        }
      default: break
      }
      json["weight_map"] = damage == "no map" ? nil : map
      let text = damage == "not JSON" ? Data("{".utf8) : try JSONSerialization.data(withJSONObject: json)
      try text.write(to: index)
      let run = try Self.run(folder)
      #expect(run.code == 1 || run.code == 66, "\(run.errors)")
      #expect(run.errors.contains(message), "\(run.errors)")
      #expect(run.output.isEmpty)
    }
  }

  @Test("weights that are cut short during a run end it with code 1 and a message, not with a signal")
  func cutShort() throws {
    try Fixtures.withTemporaryFolder { folder in
      let model = folder.appending(path: "model")
      try FileManager.default.copyItem(at: Fixtures.demo, to: model)
      let weights = model.appending(path: "model.safetensors").path
      let line = """
        $gemma run '\(model.path)' fox --ignore-eos --temperature 0 -c 100000 >/dev/null &
        sleep 0.6; truncate -s 5000 '\(weights)'; wait $!
        """
      let run = try CommandRun(shell: line)
      #expect(run.code == 1, "\(run.errors)")
      #expect(run.errors.contains("in use"), "\(run.errors)")
    }
  }
}
