import CKernels
import Models
package import Tensors
import Tokenization
import Weights

/// Generates one answer on a timeline.
package struct Generator: Sendable {
  /// An answer with its tokens.
  package struct Answer: Sendable {
    package var text = ""
    package var tokens: [TokenID] = []
    package var finishReason = FinishReason.endOfTurn
    package var statistics = Statistics()
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
  package func run(
    prompt: [TokenID], progress: (@Sendable (Int) -> Void)? = nil, emit: @Sendable (String) -> Void
  ) async throws -> Answer {
    let clock = ContinuousClock()
    let start = clock.now
    var answer = Answer()
    let stopTokens = options.ignoresEndOfTurn ? [] : Set(model.loaded.checkpoint.generation.stopTokens)
    var decoder = model.info.hasTokenizer ? StreamingDecoder(try model.tokenizer) : nil
    var matcher = StopMatcher(options.stop)

    func deliver(_ text: String) {
      guard !text.isEmpty else { return }
      answer.text += text
      emit(text)
    }

    let (reuse, prefillTime) = try await timeline.timedSync(to: prompt, progress: progress)
    var firstToken: ContinuousClock.Instant?
    while true {
      let token = try await timeline.sample(sampler)
      if firstToken == nil { firstToken = clock.now }
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
      if await timeline.isFull {
        answer.finishReason = .contextFull
        break
      }
      try Task.checkCancellation()
      try await timeline.append([token])
    }
    if let rest = decoder?.finish() { deliver(matcher.append(rest)) }
    deliver(matcher.finish())
    let end = clock.now
    answer.statistics.promptTokens = prompt.count
    answer.statistics.cachedPromptTokens = reuse.cached
    answer.statistics.responseTokens = answer.tokens.count
    answer.statistics.loadTime = model.loadTime
    answer.statistics.timeToFirstToken = (firstToken ?? end) - start
    answer.statistics.prefillTime = prefillTime
    answer.statistics.decodeTime = end - (firstToken ?? end)
    answer.statistics.peakPoolBytes = Memory.peakMemory
    answer.statistics.mappedBytes = model.info.mappedBytes
    answer.statistics.threads = model.options.compute.threads
    answer.statistics.kernels = Kernels.current
    return answer
  }
}

extension TimelineActor {
  /// `sync(to:progress:)` with the time it took on the compute thread, without the wait for it.
  func timedSync(
    to tokens: [TokenID], progress: (@Sendable (Int) -> Void)?
  ) throws -> (reuse: Reuse, time: Duration) {
    let start = ContinuousClock.now
    let reuse = try sync(to: tokens, progress: progress)
    return (reuse, reuse.computed > 0 ? ContinuousClock.now - start : .zero)
  }
}
