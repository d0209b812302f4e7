import Foundation
import GemmaKernels
import GemmaModels
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

/// The real Gemma 3 270M where `GEMMA_REAL_MODEL` names the folder that `real_model.py` wrote (hf/, mlx4/).
private let realModel = ProcessInfo.processInfo.environment["GEMMA_REAL_MODEL"].map { URL(filePath: $0) }

/// What `Tests/Reference/real_expectations.py` wrote.
private struct Expected: Decodable {
  struct Greedy: Decodable { var ids: [TokenID], margins: [Float] }
  struct Continuation: Decodable { var ids: [TokenID], greedy: Greedy }
  struct Page: Decodable { var ids: [TokenID], logprobs: [Float], perplexity: Double }
  var continuation: Continuation
  var page: Page

  static func read(_ name: String) throws -> Expected {
    let file = Fixtures.folder.appending(path: "real-gemma3-270m/expected-\(name).json")
    return try JSONDecoder().decode(Expected.self, from: Data(contentsOf: file))
  }
}

@Suite("Real Gemma 3 270M", .serialized, .enabled(if: realModel != nil, "GEMMA_REAL_MODEL is not set"))
struct RealModelTests {
  private func timeline(
    _ name: String, float32: Bool, keyValueCache: KeyValueCacheType? = nil
  ) throws -> Timeline {
    let folder = try #require(realModel).appending(path: name)
    let model = try LoadedModel(Checkpoint(at: folder))
    let options = ComputeOptions(float32Activations: float32, keyValueCache: keyValueCache)
    return try Timeline(model, contextLength: 512, options: options)
  }

  private func pageLogProbabilities(_ timeline: Timeline, _ ids: [TokenID]) throws -> [Float] {
    var result: [Float] = []
    var pending = PendingTokens(ids, wanted: .every)
    try timeline.append(
      &pending,
      eachRow: { index, row in
        guard index + 1 < ids.count else { return }
        result.append(row[Int(ids[index + 1])] - ck_log_sum_exp(row.baseAddress, row.count))
      })
    return result
  }

  private func perplexity(_ logProbabilities: [Float]) -> Double {
    exp(-logProbabilities.reduce(0) { $0 + Double($1) } / Double(logProbabilities.count))
  }

  @Test("log-probabilities of a page agree with transformers", arguments: ["hf", "mlx4"])
  func page(name: String) throws {
    let expected = try Expected.read(name)
    let found = try pageLogProbabilities(timeline(name, float32: true), expected.page.ids)
    #expect(found.count == expected.page.logprobs.count)
    let worst = zip(found, expected.page.logprobs).map { abs($0 - $1) }.max() ?? .infinity
    print("real 270M \(name): largest difference \(worst)")
    #expect(worst < 2e-3)
  }

  @Test("the greedy continuation agrees with transformers", arguments: ["hf", "mlx4"])
  func continuation(name: String) throws {
    let expected = try Expected.read(name).continuation
    let timeline = try timeline(name, float32: true)
    try timeline.append(expected.ids)
    for (id, margin) in zip(expected.greedy.ids, expected.greedy.margins) {
      guard margin > 1e-3 else { break }
      let logits = timeline.logits
      let best = TokenID(ck_argmax(logits.baseAddress, logits.count))
      #expect(best == id)
      try timeline.append([best])
    }
  }

  /// Measured: 0.9 %.
  @Test("int8 activations cost at most 1 % in perplexity")
  func int8Cost() throws {
    let page = try Expected.read("mlx4").page
    let float32 = perplexity(try pageLogProbabilities(timeline("mlx4", float32: true), page.ids))
    let int8 = perplexity(try pageLogProbabilities(timeline("mlx4", float32: false), page.ids))
    print("real 270M mlx4: perplexity \(float32) with float32 activations, \(int8) with int8")
    #expect(int8 < float32 * 1.01)
  }

  /// Measured: 0.7 % (hf) and 1.1 % (mlx4); 299 log-probabilities are few.
  @Test("int8 caches cost at most 2 % in perplexity", arguments: ["hf", "mlx4"])
  func int8CacheCost(name: String) throws {
    let page = try Expected.read(name).page
    let costs = try KeyValueCacheType.allCases.map { cache in
      perplexity(try pageLogProbabilities(timeline(name, float32: false, keyValueCache: cache), page.ids))
    }
    print("real 270M \(name): perplexity \(costs[0]) with bf16 caches, \(costs[1]) with int8")
    #expect(costs[1] < costs[0] * 1.02)
  }
}
