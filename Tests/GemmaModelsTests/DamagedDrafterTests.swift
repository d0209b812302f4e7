import Foundation
import GemmaModels
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

@Suite("A drafter that cannot be used")
struct DamagedDrafterTests {
  /// The files of the fixture drafter "gemma4-e".
  private struct Files {
    var config: Data
    var weights: Data

    init() throws {
      let folder = Fixtures.drafter("gemma4-e")
      config = try Data(contentsOf: folder.appending(path: "config.json"))
      weights = try Data(contentsOf: folder.appending(path: "model.safetensors"))
    }

    /// Bytes in front of the tensors.
    var headerEnd: Int { 8 + weights.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) } }

    func replacing(_ old: String, _ new: String) throws -> Files {
      var files = self
      let text = try #require(String(data: config, encoding: .utf8))
      #expect(text.contains(old))
      files.config = Data(text.replacing(old, with: new).utf8)
      return files
    }

    /// With other bytes at an offset within a tensor.
    func patching(_ tensor: String, at offset: Int, _ bytes: [UInt8]) throws -> Files {
      var files = self
      let header = try JSONSerialization.jsonObject(with: weights[8..<headerEnd]) as? [String: [String: Any]]
      let range = try #require(header?[tensor]?["data_offsets"] as? [Int])
      let first = headerEnd + range[0] + offset
      files.weights.replaceSubrange(first..<first + bytes.count, with: bytes)
      return files
    }

    func load(for target: String = "gemma4-e") throws -> LoadedDrafter {
      let configuration = try Checkpoint(at: Fixtures.model(target)).configuration
      return try Fixtures.withTemporaryFolder { folder in
        try write(to: folder)
        return try LoadedDrafter(at: folder, for: configuration)
      }
    }

    func write(to folder: URL) throws {
      for (name, data) in [("config.json", config), ("model.safetensors", weights)] {
        let file = folder.appending(path: name)
        // New files: some file systems write an overwritten one to the disk before they go on.
        if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
        try data.write(to: file)
      }
    }

    /// The message of the error that loading ends with.
    func refusal(for target: String = "gemma4-e") throws -> GemmaError {
      try #require(#expect(throws: GemmaError.self) { _ = try load(for: target) })
    }
  }

  @Test(
    "is refused where it was made for another model, and the error names what differs",
    arguments: [
      ("\"backbone_hidden_size\": 64", "\"backbone_hidden_size\": 96", "backbone_hidden_size) of 96, the model has 64"),
      ("\"vocab_size\": 275", "\"vocab_size\": 300", "vocabulary of 300, the model has 275"),
      ("\"sliding_window\": 16", "\"sliding_window\": 8", "sliding window of 8, the model has 16"),
      ("\"head_dim\": 32", "\"head_dim\": 48", "sliding layers of the size 48, the model has 32"),
      ("\"global_head_dim\": 64", "\"global_head_dim\": 32", "full layers of the size 32, the model has 64"),
      ("\"num_key_value_heads\": 1", "\"num_key_value_heads\": 2", "key heads in sliding layers: 2, the model has 1"),
      ("\"rope_theta\": 1000000.0", "\"rope_theta\": 500000.0", "another revision"),
    ])
  func mismatch(old: String, new: String, reason: String) throws {
    let error = try Files().replacing(old, new).refusal()
    guard case .unsuitableDrafter(_, let found) = error else { throw error }
    #expect(found.contains(reason), "\(found)")
    #expect(error.errorDescription?.contains("does not fit the model") == true)
  }

  @Test("is refused for another family and for a model of other shapes")
  func otherTargets() throws {
    for (target, reason) in [("gemma3n-full", "family gemma3n"), ("gemma4-keqv", "sliding window of 16")] {
      let error = try Files().refusal(for: target)
      guard case .unsuitableDrafter(_, let found) = error else { throw error }
      #expect(found.contains(reason), "\(found)")
    }
  }

  @Test(
    "is refused where its order of the vocabulary is no permutation",
    arguments: [(0, 274), (3, 275), (100, -1), (274, Int(Int32.max) + 5)])
  func ordering(place: Int, value: Int) throws {
    var files = try Files()
    // 274 is somewhere else already, unless it happens to stand at place 0.
    let bytes = withUnsafeBytes(of: Int64(value).littleEndian) { [UInt8]($0) }
    files = try files.patching("masked_embedding.token_ordering", at: 8 * place, bytes)
    let error = try files.refusal()
    guard case .malformedFile(_, let reason) = error else { throw error }
    #expect(reason.contains("token_ordering") && reason.contains("no permutation"), "\(reason)")
  }

  @Test("names a tensor that is missing")
  func missingTensor() throws {
    var files = try Files()
    let name = "post_projection.weight"
    let place = try #require(files.weights.range(of: Data(name.utf8)))
    files.weights.replaceSubrange(place, with: Data("past_projection.weight".utf8))
    let error = try files.refusal()
    #expect(error.errorDescription?.contains(name) == true)
  }

  @Test("reports scores that hold NaN, from its norm or from its centroids")
  func notANumber() throws {
    for tensor in ["model.norm.weight", "masked_embedding.centroids.weight"] {
      let drafter = try Files().patching(tensor, at: 0, [0xFF, 0x7F]).load()
      let model = try load("gemma4-e")
      let timeline = try Timeline(model, contextLength: 8, options: exact)
      try timeline.append([2, 5, 9])
      let source = try MTPDrafter(drafter, contextLength: 8, options: exact)
      let error = #expect(throws: GemmaError.self) {
        _ = try source.draft(DraftRequest(2, after: 7, on: timeline))
      }
      guard case .degenerateOutput = error else { throw try #require(error) }
    }
  }

  @Test("400 damaged drafters load or give a typed error, and those that load draft pieces of the vocabulary")
  func damage() throws {
    var generator = DamageGenerator(seed: 11)
    let whole = try Files()
    let model = try load("gemma4-e")
    let timeline = try Timeline(model, contextLength: 8, options: ComputeOptions(threads: 1))
    try timeline.append([2, 5, 9])
    var (refused, drafted) = (0, 0)
    try Fixtures.withTemporaryFolder { folder in
      for round in 0..<400 {
        var files = whole
        switch round % 3 {
        case 0: files.config = whole.config.damaged(&generator)
        case 1:
          files.weights =
            whole.weights.prefix(whole.headerEnd).damaged(&generator)
            + whole.weights.dropFirst(whole.headerEnd)
        default: files.weights = whole.weights.damaged(&generator)
        }
        try files.write(to: folder)
        do {
          let drafter = try LoadedDrafter(at: folder, for: model.configuration)
          let source = try MTPDrafter(drafter, contextLength: 8, options: ComputeOptions(threads: 1))
          let guesses = try source.draft(DraftRequest(2, after: 7, on: timeline))
          #expect(guesses.allSatisfy { (0..<275).contains($0) })
          drafted += 1
        } catch let error as GemmaError {
          refused += 1
          #expect(error.errorDescription?.isEmpty == false)
        }
      }
    }
    #expect(refused > 100)
    #expect(drafted > 20)
  }
}
