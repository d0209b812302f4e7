import GemmaModels
package import GemmaRuntime
import GemmaTokenization
import Synchronization

/// Computes the same thing in many ways and compares the bits.
package struct Verifier: Sendable {
  /// One way of computing.
  package struct Setting: Sendable, Hashable {
    package let kernels: String
    package let threads: Int
    package let prefillChunk: Int
  }

  /// What a model computes for the prompt, one token a pass.
  package struct Observation: Sendable, Hashable {
    package var tokens: [TokenID]
    package var logitsDigest: String
  }

  /// The same answer, generated with drafts.
  package struct DraftedAnswer: Sendable, Hashable {
    package var tokens: [TokenID]
    package var draftedTokens: Int
  }

  private let model: GemmaModel
  private let responseTokens: Int
  private let drafter: GemmaDrafter?
  private let prompt: [TokenID]
  /// The kernel levels change least often.
  package let settings: [Setting]

  package init(_ model: GemmaModel, _ options: Verification.Options, _ drafter: GemmaDrafter?) {
    self.model = model
    responseTokens = options.responseTokens
    self.drafter = drafter
    prompt = FixedPrompt.tokens(options.promptTokens, vocabulary: model.info.vocabularySize)
    let threads = Set(options.threads ?? [1, 2, model.options.compute.threads]).sorted()
    let chunks = Set(options.prefillChunks ?? [1, 7, 64, options.promptTokens]).sorted()
    settings = (options.kernels ?? Kernels.available).flatMap { kernels in
      threads.flatMap { threads in
        chunks.map { Setting(kernels: kernels, threads: threads, prefillChunk: $0) }
      }
    }
  }

  package func run(progress: (Verification.Verdict) -> Void) async throws -> Verification {
    try await compare(observe: observe, answers: answers, progress: progress)
  }

  /// The comparison, apart from what it compares, so that tests can plant a difference.
  package func compare(
    observe: (Setting) async throws -> Observation,
    answers: (Setting, Observation) async throws -> [DraftedAnswer],
    progress: (Verification.Verdict) -> Void = { _ in }
  ) async throws -> Verification {
    let before = Kernels.current
    defer { try? Kernels.select(before) }  // the level that was in use exists
    var first: Observation?
    var verdicts: [Verification.Verdict] = []
    for setting in settings {
      try Kernels.select(setting.kernels)
      let found = try await observe(setting)
      let drafted = try await answers(setting, found)
      let verdict = Verification.Verdict(
        kernels: setting.kernels, threads: setting.threads, prefillChunk: setting.prefillChunk, tokens: found.tokens,
        logitsDigest: found.logitsDigest, draftedTokens: drafted.reduce(0) { $0 + $1.draftedTokens },
        isIdentical: found == first ?? found && drafted.allSatisfy { $0.tokens == found.tokens })
      first = first ?? found
      verdicts.append(verdict)
      progress(verdict)
    }
    return Verification(verdicts: verdicts)
  }

  /// A digest of the logits' bits and the greedy ids: once with the logits of each prompt token, once as in an answer,
  /// where layers without caches of their own skip all but the last token.
  package func observe(_ setting: Setting) async throws -> Observation {
    let options = modelOptions(setting)
    let digest = Mutex(BitDigest())
    try await TimelineActor(model, options: options).append(prompt) { _, logits in
      digest.withLock { $0.add(logits) }
    }
    let timeline = TimelineActor(model, options: options)
    _ = try await timeline.sync(to: prompt)
    var tokens: [TokenID] = []
    while true {
      try await timeline.withLogits { logits in digest.withLock { $0.add(logits) } }
      let token = try await timeline.sample(Sampler(draw: nil))
      tokens.append(token)
      if tokens.count == responseTokens { break }
      try Task.checkCancellation()
      try await timeline.append([token])
    }
    return Observation(tokens: tokens, logitsDigest: digest.withLock { $0.text })
  }

  /// The answer with right and wrong guesses made up from itself, and with those of the drafter.
  package func answers(_ setting: Setting, _ found: Observation) async throws -> [DraftedAnswer] {
    let (text, vocabulary) = (prompt + found.tokens, model.info.vocabularySize)
    let rehearsed: MakeDraftSource = { _, _ in RehearsedDrafts(text, vocabulary: vocabulary) }
    var answers = [try await answer(setting, rehearsed)]
    if let drafter { answers.append(try await answer(setting, drafter.makeDrafts)) }
    return answers
  }

  private func answer(_ setting: Setting, _ makeDrafts: @escaping MakeDraftSource) async throws -> DraftedAnswer {
    try await withStopSignal { stop in try await answer(setting, makeDrafts, stop) }
  }

  /// Drafts one more in every round.
  private func answer(
    _ setting: Setting, _ makeDrafts: @escaping MakeDraftSource, _ stop: StopSignal
  ) async throws -> DraftedAnswer {
    let timeline = TimelineActor(model, options: modelOptions(setting), makeDrafts: makeDrafts)
    _ = try await timeline.sync(to: prompt)
    var answer = DraftedAnswer(tokens: [try await timeline.sample(Sampler(draw: nil))], draftedTokens: 0)
    while answer.tokens.count < responseTokens {
      let count = answer.tokens.count
      let round = try await timeline.round(
        Sampler(draw: nil), after: answer.tokens[count - 1],
        speculation: .draft(tokens: 1 + count % GenerationOptions.Speculation.longestDraft),
        limit: responseTokens - count, stop: stop)
      if let failure = round.failure { throw GemmaError.draftingFailed(reason: failure) }
      answer.tokens += round.next
      answer.draftedTokens += round.drafted.count
    }
    return answer
  }

  private func modelOptions(_ setting: Setting) -> GemmaModel.Options {
    var options = model.options
    options.reproducible = true
    options.contextLength = prompt.count + responseTokens
    options.threads = setting.threads
    options.prefillChunk = setting.prefillChunk
    return options
  }
}
