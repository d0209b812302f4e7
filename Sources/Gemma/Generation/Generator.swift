package import GemmaModels
package import GemmaRuntime
import GemmaWeights

/// Generates one answer on a timeline.
package struct Generator: Sendable {
  /// An answer with its tokens.
  package struct Answer: Sendable {
    package let text: String
    package let tokens: [TokenID]
    package let finishReason: FinishReason
    package let statistics: Statistics
    /// Those with drafts.
    package let rounds: [DraftedRound]
  }

  private let model: GemmaModel
  private let timeline: TimelineActor
  private let options: GenerationOptions
  private let sampler: Sampler

  package init(_ model: GemmaModel, on timeline: TimelineActor, options: GenerationOptions) throws(GemmaError) {
    try options.validate()
    self.model = model
    self.timeline = timeline
    self.options = options
    sampler = Sampler(
      draw: options.sampling.draw(recommended: model.loaded.checkpoint.generation),
      repetitionPenalty: options.repetitionPenalty)
  }

  /// Goes on until the answer ends. `emit` gets the text as it becomes certain, `progress` the prompt's tokens done so far.
  /// Both are called on the compute thread.
  package func answer(
    to prompt: [TokenID], progress: (@Sendable (Int) -> Void)? = nil, emit: @Sendable (String) -> Void
  ) async throws -> Answer {
    try await withStopSignal { stop in try await answer(prompt, progress, emit, stop, on: timeline) }
  }

  /// On the timeline's own thread, and with one cancellation handler for all rounds: each change of threads takes a good
  /// part of a small model's step, and a handler changes them, too.
  private func answer(
    _ prompt: [TokenID], _ progress: (@Sendable (Int) -> Void)?, _ emit: @Sendable (String) -> Void,
    _ stop: StopSignal, on timeline: isolated TimelineActor
  ) async throws -> Answer {
    let clock = ContinuousClock()
    let start = clock.now
    var writer = try AnswerWriter(model, options, room: timeline.contextLength - prompt.count)
    var speculation = SpeculationStatistics()
    var rounds: [DraftedRound] = []

    let reuse = try await timeline.sync(to: prompt, progress: progress)
    var next = [try await timeline.sample(sampler)]
    let firstToken = clock.now
    var round: DraftedRound?
    while true {
      let taken = writer.take(next, emit)
      if var ended = round {
        if writer.finishReason != nil { try await timeline.end(&ended, after: taken) }
        speculation.add(ended)
        if ended.source != nil { rounds.append(ended) }
      }
      guard writer.finishReason == nil, let token = next.last else { break }
      // Others get the thread after each round, however short the rounds are.
      if ComputeThread.shared.isAwaited { await Task.yield() }
      let played = try await timeline.round(
        sampler, after: token, speculation: options.speculation, limit: writer.limit, stop: stop)
      next = played.next
      round = played
    }
    writer.finish(emit)
    let end = clock.now
    var statistics = Statistics(of: model, drafterMappedBytes: timeline.drafterMappedBytes)
    statistics.speculation = speculation
    statistics.promptTokens = prompt.count
    statistics.cachedPromptTokens = reuse.cached
    statistics.responseTokens = writer.tokens.count
    statistics.timeToFirstToken = firstToken - start
    statistics.prefillTime = reuse.time
    statistics.decodeTime = end - firstToken
    return Answer(
      text: writer.text, tokens: writer.tokens, finishReason: writer.finishReason ?? .endOfTurn,
      statistics: statistics, rounds: rounds)
  }
}
