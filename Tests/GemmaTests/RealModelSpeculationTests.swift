import Foundation
import Gemma
import GemmaRuntime
import GemmaTestSupport
import Testing

/// The real Gemma 3 270M where `GEMMA_REAL_MODEL` names the folder that `real_model.py` wrote.
private let realModel = ProcessInfo.processInfo.environment["GEMMA_REAL_MODEL"].map {
  URL(filePath: $0).appending(path: "mlx4")
}

@Suite("Drafts for the real Gemma 3 270M", .enabled(if: realModel != nil, "GEMMA_REAL_MODEL is not set"))
struct RealModelSpeculationTests {
  /// The opening of "Alice's Adventures in Wonderland" (public domain).
  private static let passage = """
    Alice was beginning to get very tired of sitting by her sister on the bank, and of having nothing to do: once or \
    twice she had peeped into the book her sister was reading, but it had no pictures or conversations in it, "and \
    what is the use of a book," thought Alice, "without pictures or conversations?"

    """

  @Test("beyond 600 tokens at a window of 512, every length of drafts gives the plain ids, greedy and sampled")
  func beyondTheWindow() async throws {
    let model = try await GemmaModel(at: try #require(realModel), options: .init(contextLength: 1024))
    let text = String(repeating: Self.passage, count: 8)
    let prompt = [try model.tokenizer.beginOfSequence] + (try model.tokenizer.encode(text))
    #expect(prompt.count > 480)
    for sampling in [GenerationOptions.Sampling.greedy, .random(temperature: 0.7, seed: 1)] {
      var options = GenerationOptions(
        sampling: sampling, maximumResponseTokens: 180, ignoresEndOfTurn: true, speculation: .off)
      let plain = try await Generator(model, on: TimelineActor(model), options: options).answer(to: prompt) { _ in }
      #expect(prompt.count + plain.tokens.count > 600)
      for speculation in [GenerationOptions.Speculation.automatic] + (1...8).map({ .draft(tokens: $0) }) {
        options.speculation = speculation
        let drafted = try await Generator(model, on: TimelineActor(model), options: options).answer(to: prompt) { _ in
        }
        #expect(drafted.tokens == plain.tokens, "\(speculation)")
        #expect(drafted.statistics.speculation.acceptedTokens > 0, "\(speculation)")
      }
    }
  }
}
