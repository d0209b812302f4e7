import Gemma
import GemmaModels
import GemmaRuntime

/// An answer on a timeline of its own, and what the caches hold behind it.
struct DraftedAnswer {
  let answer: Generator.Answer
  /// The timeline's tokens at the end of the answer.
  let tokens: [TokenID]
  /// The logits after some more tokens, which see all that the caches hold.
  let bits: [UInt32]

  init(
    _ model: GemmaModel, _ prompt: [TokenID], _ options: GenerationOptions, makeDrafts: MakeDraftSource? = nil
  ) async throws {
    let timeline = TimelineActor(model, makeDrafts: makeDrafts)
    answer = try await Generator(model, on: timeline, options: options).answer(to: prompt) { _ in }
    tokens = await timeline.tokens
    try await timeline.append([5, 6, 7])
    bits = try await timeline.withLogits { $0.map(\.bitPattern) }
  }

  /// Greedy, or sampled at a high temperature from the whole vocabulary; never ends before `count` tokens.
  static func options(
    _ speculation: GenerationOptions.Speculation, sampled: Bool, count: Int, temperature: Float, seed: UInt64
  ) -> GenerationOptions {
    GenerationOptions(
      sampling: sampled ? .random(temperature: temperature, topK: nil, topP: nil, seed: seed) : .greedy,
      maximumResponseTokens: count, ignoresEndOfTurn: true, speculation: speculation)
  }
}
