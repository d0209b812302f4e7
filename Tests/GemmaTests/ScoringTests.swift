import Foundation
import Gemma
import GemmaTestSupport
import Synchronization
import Testing

@Suite("Scoring")
struct ScoringTests {
  /// Of what transformers wrote beside a fixture model.
  private struct Expected: Decodable {
    struct Full: Decodable {
      let position: Int
      let logprobs: [Float]
    }
    struct Prompt: Decodable {
      let ids: [TokenID]
      let logprobs: [Float]
      let full: [Full]
    }
    let prompts: [Prompt]

    static func of(_ name: String) throws -> Expected {
      try JSONDecoder().decode(
        Expected.self, from: Data(contentsOf: Fixtures.model(name).appending(path: "expected.json")))
    }
  }

  @Test(
    "log-probabilities and candidates are those of transformers within 2e-3, and perplexity follows from them",
    arguments: ["gemma3-q4-g64", "gemma3n-q8-g32", "gemma4-e"])
  func reference(name: String) async throws {
    let prompts = try Expected.of(name).prompts
    let length = prompts.map(\.ids.count).max() ?? 1
    let model = try await GemmaModel(
      at: Fixtures.model(name),
      options: .init(contextLength: length, activations: .float32, reproducible: true))
    for prompt in prompts {
      let all = model.info.vocabularySize
      let scores = try await model.score(prompt.ids, top: all)
      #expect(scores.tokens == prompt.ids && scores.logProbabilities.count == prompt.ids.count)
      #expect(scores.logProbabilities[0] == nil && scores.top.count == prompt.ids.count)
      let found = scores.logProbabilities.compactMap(\.self)
      #expect(found.count == prompt.logprobs.count && Self.largestDifference(found, prompt.logprobs) < 2e-3)
      for full in prompt.full {
        let row = scores.top[full.position]
        #expect(row.count == all && Set(row.map(\.token)).count == all)
        let expected = row.map { full.logprobs[Int($0.token)] }
        #expect(Self.largestDifference(row.map(\.logProbability), expected) < 2e-3)
        #expect(zip(row, row.dropFirst()).allSatisfy { $0.logProbability >= $1.logProbability })
      }
      if !prompt.logprobs.isEmpty {
        let mean = prompt.logprobs.map(Double.init).reduce(0, +) / Double(prompt.logprobs.count)
        #expect(abs(try #require(scores.perplexity) / exp(-mean) - 1) < 2e-3)
      }
      #expect(scores.statistics.promptTokens == prompt.ids.count && scores.statistics.prefillTime > .zero)
    }
  }

  private static func largestDifference(_ first: [Float], _ second: [Float]) -> Float {
    zip(first, second).map { abs($0 - $1) }.max() ?? 0
  }

  @Test("a continuation is scored alone, with the bits of the whole; without a wish there are no candidates")
  func continuation() async throws {
    let model = try await SessionTests.demo()
    let tokens = SessionTests.tokens(20)
    let (whole, part) = (try await model.score(tokens), try await model.score(tokens, from: 15, top: 2))
    #expect(part.logProbabilities[..<15].allSatisfy { $0 == nil })
    #expect(part.logProbabilities[15...] == whole.logProbabilities[15...])
    #expect(whole.logProbabilities[1...].allSatisfy { $0 != nil })
    #expect(whole.top.allSatisfy(\.isEmpty) && part.top.allSatisfy { $0.count == 2 })
    #expect(try await model.score([2]).perplexity == nil)
    #expect(try await model.score(tokens, from: 20).perplexity == nil)
  }

  @Test("arguments outside their range are typed errors")
  func ranges() async throws {
    let model = try await SessionTests.demo(.init(contextLength: 8))
    for (tokens, first, top) in [([2], 2, 0), ([2], -1, 0), ([2], 0, -1), ([2], 0, 4097), ([], 0, 0), ([4096], 0, 0)] {
      await #expect(throws: GemmaError.self, "\(tokens) \(first) \(top)") {
        try await model.score(tokens.map { TokenID($0) }, from: first, top: top)
      }
    }
    await #expect(throws: GemmaError.contextLengthExceeded(limit: 8, requested: 9)) {
      try await model.score(Array(repeating: 5, count: 9))
    }
    // The number of candidates is checked before anything is computed.
    let long = Array(repeating: TokenID(5), count: Scores.maximumCandidates / 4096 + 1)
    await #expect {
      try await model.score(long, top: 4096)
    } throws: { error in
      if case .invalidOption = error as? GemmaError { true } else { false }
    }
  }

  @Test("progress counts the tokens, and a cancelled task stops")
  func progress() async throws {
    let model = try await SessionTests.demo()
    let counts = Mutex<[Int]>([])
    _ = try await model.score(SessionTests.tokens(9)) { done in counts.withLock { $0.append(done) } }
    #expect(counts.withLock { $0 } == Array(1...9))
    let task = Task {
      try await model.score(SessionTests.tokens(4000)) { _ in
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
