import GemmaKernels
import GemmaModels
package import GemmaRuntime
import GemmaTokenization
import GemmaWeights

/// Generates one answer on a timeline.
package struct Generator: Sendable {
  /// An answer with its tokens.
  package struct Answer: Sendable {
    package var text = ""
    package var tokens: [TokenID] = []
    package var finishReason = FinishReason.endOfTurn
    package var statistics = Statistics()
    /// The passes that checked drafts.
    package var rounds: [DraftRound] = []
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

  /// Runs until the answer ends. `emit` gets the text as it becomes certain, `progress` the prompt's tokens done so far.
  /// Both are called on the compute thread.
  package func run(
    prompt: [TokenID], progress: (@Sendable (Int) -> Void)? = nil, emit: @Sendable (String) -> Void
  ) async throws -> Answer {
    let stop = StopSignal()
    return try await withTaskCancellationHandler {
      try await run(prompt, progress, emit, stop, on: timeline)
    } onCancel: {
      stop.raise()
    }
  }

  /// On the timeline's own thread, and with one cancellation handler for all rounds: each change of threads takes a good
  /// part of a small model's step, and a handler changes them, too.
  private func run(
    _ prompt: [TokenID], _ progress: (@Sendable (Int) -> Void)?, _ emit: @Sendable (String) -> Void,
    _ stop: StopSignal, on timeline: isolated TimelineActor
  ) async throws -> Answer {
    let clock = ContinuousClock()
    let start = clock.now
    var answer = Answer()
    let stopTokens = options.ignoresEndOfTurn ? [] : Set(model.loaded.checkpoint.generation.stopTokens)
    var decoder = model.info.hasTokenizer ? StreamingDetokenizer(try model.tokenizer) : nil
    var matcher = StopMatcher(options.stop)

    func deliver(_ text: String) {
      guard !text.isEmpty else { return }
      answer.text += text
      emit(text)
    }

    let reuse = try await timeline.sync(to: prompt, progress: progress)
    // Tokens that are chosen and not looked at yet, the next one last.
    var ahead = [try await timeline.sample(sampler)]
    let firstToken = clock.now
    while let token = ahead.popLast() {
      if stopTokens.contains(token) {
        answer.finishReason = .endOfTurn
        break
      }
      answer.tokens.append(token)
      if let piece = decoder?.append(token) { deliver(matcher.append(piece)) }
      if matcher.isStopped {
        answer.finishReason = .stopSequence
        break
      }
      if let maximum = options.maximumResponseTokens, answer.tokens.count >= maximum {
        answer.finishReason = .maximumTokens
        break
      }
      // The last token needs no place: nothing is predicted from it.
      if prompt.count + answer.tokens.count > timeline.contextLength {
        answer.finishReason = .contextFull
        break
      }
      guard ahead.isEmpty else { continue }
      // Others get the thread after each round, however short the rounds are.
      if ComputeThread.shared.isAwaited { await Task.yield() }
      let round = try await timeline.round(
        sampler, after: token, speculation: options.speculation,
        limit: options.maximumResponseTokens.map { $0 - answer.tokens.count } ?? .max, stop: stop)
      answer.rounds.append(round)
      ahead = round.next.reversed()
    }
    if let last = answer.rounds.indices.last {
      answer.rounds[last].accepted = min(answer.rounds[last].accepted, answer.rounds[last].next.count - ahead.count)
    }
    var speculation = SpeculationStatistics()
    for round in answer.rounds { speculation.add(round) }
    answer.rounds.removeAll { $0.source == nil }
    // Right drafts behind the end of the answer leave no trace: without drafts the last token is not appended, unless
    // the one that ended the turn came after it.
    let plainCount = prompt.count + answer.tokens.count - (answer.finishReason == .endOfTurn ? 0 : 1)
    _ = try await timeline.rewind(to: min(plainCount, timeline.tokens.count))
    if let rest = decoder?.finish() { deliver(matcher.append(rest)) }
    deliver(matcher.finish())
    let end = clock.now
    answer.statistics = Statistics(of: model, drafterMappedBytes: timeline.drafterMappedBytes)
    answer.statistics.speculation = speculation
    answer.statistics.promptTokens = prompt.count
    answer.statistics.cachedPromptTokens = reuse.cached
    answer.statistics.responseTokens = answer.tokens.count
    answer.statistics.timeToFirstToken = firstToken - start
    answer.statistics.prefillTime = reuse.time
    answer.statistics.decodeTime = end - firstToken
    return answer
  }
}
