import Foundation
import GemmaKernels
import GemmaModels
package import GemmaRuntime
import GemmaTokenization

/// Owns a timeline and keeps every use of it on the compute thread.
///
/// Long work pauses between layers when other timelines wait for the thread, so that all make progress; the gate keeps
/// further calls on this timeline out meanwhile.
package actor TimelineActor {
  /// What a `sync` found and did.
  package struct Reuse: Sendable, Hashable {
    /// Tokens that were there already.
    package var cached = 0
    /// Tokens that went through the model.
    package var computed = 0
    /// Time on the compute thread, without pauses.
    package var time = Duration.zero
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { ComputeThread.shared.asUnownedSerialExecutor() }

  /// Work goes on for this long before others get their turn: much more than a turn costs, little beside a token's time
  /// in models of the sizes at hand.
  private static let turn = Duration.milliseconds(20)

  /// Tokens the timeline can hold.
  package nonisolated let contextLength: Int
  private let model: GemmaModel
  private let options: GemmaModel.Options
  private let gate = Gate()
  private let makeDrafts: MakeDraftSource?
  /// Bytes of weight files that are mapped for its drafter alone.
  package nonisolated let drafterMappedBytes: Int
  private var timeline: Timeline?
  private var speculator: Speculator?

  /// - Parameters:
  ///   - options: Those of the model, unless given.
  ///   - makeDrafts: Makes a source of drafts beside prompt lookup.
  ///   - drafterMappedBytes: What that source keeps mapped.
  package init(
    _ model: GemmaModel, options: GemmaModel.Options? = nil, makeDrafts: MakeDraftSource? = nil,
    drafterMappedBytes: Int = 0
  ) {
    self.model = model
    self.makeDrafts = makeDrafts
    self.drafterMappedBytes = drafterMappedBytes
    self.options = options ?? model.options
    contextLength = self.options.contextLength(for: model.loaded.configuration)
  }

  package init(_ model: GemmaModel, drafter: GemmaDrafter?) {
    self.init(model, makeDrafts: drafter?.makeDrafts, drafterMappedBytes: drafter?.mappedBytes ?? 0)
  }

  package var tokens: [TokenID] { timeline?.tokens ?? [] }

  package var bytesRead: (weights: Int, keysAndValues: Int) {
    (timeline?.traffic.weightBytes ?? 0, timeline?.traffic.cacheBytes ?? 0)
  }

  /// Makes the timeline hold exactly these tokens: keeps the common beginning and computes the rest. `progress` gets
  /// the number of tokens computed so far, after every chunk.
  package func sync(to wanted: [TokenID], progress: (@Sendable (Int) -> Void)? = nil) async throws -> Reuse {
    guard !wanted.isEmpty else { throw GemmaError.invalidInput("there are no tokens; a prompt needs at least one") }
    guard wanted.count <= contextLength else {
      throw GemmaError.contextLengthExceeded(limit: contextLength, requested: wanted.count)
    }
    try await enter()
    defer { gate.leave() }
    let timeline = try opened()
    let common = timeline.tokens.commonPrefixCount(with: wanted)
    if common == wanted.count, common == timeline.tokens.count, !timeline.logits.isEmpty {
      return Reuse(cached: common)
    }
    // The last token always goes through the model: its logits are what the caller is after.
    var kept = min(common, wanted.count - 1)
    if kept < timeline.tokens.count { kept = timeline.rewind(to: kept) }
    let time = try await compute(Array(wanted[kept...]), on: timeline, progress: progress)
    return Reuse(cached: kept, computed: wanted.count - kept, time: time)
  }

  package func append(_ tokens: [TokenID], progress: (@Sendable (Int) -> Void)? = nil) async throws {
    try await enter()
    defer { gate.leave() }
    try await compute(tokens, on: opened(), progress: progress)
  }

  /// Appends tokens and hands out the logits of each; `body` gets the token's index and runs on the compute thread.
  package func append(
    _ tokens: [TokenID], eachRow body: @Sendable (Int, UnsafeBufferPointer<Float>) throws -> Void
  ) async throws {
    try await enter()
    defer { gate.leave() }
    try await compute(tokens, on: opened(), wanted: .every, eachRow: body)
  }

  /// Appends a token, with drafts of its successors where that seems worth it, and chooses at most `limit` tokens that
  /// follow; all but the last of them are appended. The tokens are those of one-by-one sampling. Whoever raises the
  /// signal stops it.
  package func round(
    _ sampler: Sampler, after token: TokenID, speculation: GenerationOptions.Speculation, limit: Int, stop: StopSignal
  ) async throws -> DraftRound {
    try await enter()
    defer { gate.leave() }
    let timeline = try opened()
    let first = timeline.tokens.count
    let request = DraftRequest(min(limit, contextLength - first) - 1, after: token, on: timeline, stop: stop) {
      try sampler.next($0, position: $1, history: $2)
    }
    let proposal = try speculation.length.flatMap { try opened(speculatorOf: timeline).propose($0, request) }
    let drafts = proposal?.tokens ?? []
    let time = try await compute([token] + drafts, on: timeline, wanted: .every, stop: stop)
    var next: [TokenID] = []
    defer { _ = timeline.rewind(to: first + max(1, next.count)) }
    repeat {
      let end = first + next.count
      next.append(
        try sampler.next(timeline.logits(of: end), position: end + 1, history: timeline.tokens[...end]))
    } while next.count <= drafts.count && next[next.count - 1] == drafts[next.count - 1]
    let saved = speculator?.note(proposal, accepted: next.count - 1, passSeconds: time.seconds)
    return DraftRound(
      position: first + 1, source: proposal?.kind, drafted: drafts, accepted: next.count - 1, next: next,
      secondsSaved: saved ?? nil, failure: speculation.length == nil ? nil : speculator?.failure)
  }

  /// Chooses the next token; it is not appended.
  package func sample(_ sampler: Sampler) async throws -> TokenID {
    try await enter()
    defer { gate.leave() }
    return try choose(sampler, on: opened())
  }

  /// Chooses the next token and appends it.
  package func advance(_ sampler: Sampler) async throws -> TokenID {
    try await enter()
    defer { gate.leave() }
    let timeline = try opened()
    let token = try choose(sampler, on: timeline)
    try await compute([token], on: timeline)
    return token
  }

  /// Reads the logits of the last token.
  package func withLogits<Result: Sendable>(
    _ body: @Sendable (UnsafeBufferPointer<Float>) throws -> Result
  ) async throws -> Result {
    try await enter()
    defer { gate.leave() }
    return try body(logits(of: opened()))
  }

  /// Drops tokens behind `count`; returns how many are left, which may be fewer.
  package func rewind(to count: Int) async throws -> Int {
    try await enter()
    defer { gate.leave() }
    let timeline = try opened()
    guard (0...timeline.tokens.count).contains(count) else {
      throw GemmaError.invalidInput("cannot rewind to \(count): the context holds \(timeline.tokens.count) tokens")
    }
    return timeline.rewind(to: count)
  }

  private func enter() async throws {
    if !gate.enterIfFree() { try await gate.enter() }
  }

  /// Made at the first use, so that a session without a prompt costs nothing. A drafter's memory is taken with it, as
  /// the plan says, and not when half of it is given away.
  private func opened() throws(GemmaError) -> Timeline {
    if let timeline { return timeline }
    // All of it at once: whoever raises the limit to what is missing should not hear of the next part then.
    let required = Memory.activeMemory + MemoryPlan(model.loaded, options, nil).poolBytes
    let limit = Memory.memoryLimit
    guard required <= limit else { throw .memoryLimitExceeded(limit: limit, required: required) }
    let made = try Timeline(model.loaded, contextLength: contextLength, options: options.compute)
    timeline = made
    if makeDrafts != nil { _ = opened(speculatorOf: made) }
    return made
  }

  /// Made at the first round. A source that cannot be made, as for lack of memory, is done without.
  private func opened(speculatorOf timeline: Timeline) -> Speculator {
    if let speculator { return speculator }
    var sources: [any DraftSource] = []
    var failure: String?
    do throws(GemmaError) {
      if let made = try makeDrafts?(timeline, options.compute) { sources.append(made) }
    } catch {
      failure = error.localizedDescription
    }
    let made = Speculator(sources + [PromptLookup()], failure: failure)
    speculator = made
    return made
  }

  private func logits(of timeline: Timeline) throws(GemmaError) -> UnsafeBufferPointer<Float> {
    guard !timeline.logits.isEmpty else {
      throw .invalidInput("there is no prediction yet; sync the context to some tokens first")
    }
    return timeline.logits
  }

  private func choose(_ sampler: Sampler, on timeline: Timeline) throws -> TokenID {
    try sampler.next(logits(of: timeline), position: timeline.tokens.count, history: timeline.tokens[...])
  }

  /// Sends tokens through the model until the task is cancelled.
  @discardableResult
  private func compute(
    _ tokens: [TokenID], on timeline: Timeline, wanted: PendingTokens.Wanted = .last,
    progress: (@Sendable (Int) -> Void)? = nil,
    eachRow: @Sendable (Int, UnsafeBufferPointer<Float>) throws -> Void = { _, _ in }
  ) async throws -> Duration {
    let stop = StopSignal()
    return try await withTaskCancellationHandler {
      try await compute(tokens, on: timeline, wanted: wanted, stop: stop, progress: progress, eachRow: eachRow)
    } onCancel: {
      stop.raise()
    }
  }

  /// Sends tokens through the model in turns with other timelines; returns the time of the work itself.
  private func compute(
    _ tokens: [TokenID], on timeline: Timeline, wanted: PendingTokens.Wanted, stop: StopSignal,
    progress: (@Sendable (Int) -> Void)? = nil,
    eachRow: @Sendable (Int, UnsafeBufferPointer<Float>) throws -> Void = { _, _ in }
  ) async throws -> Duration {
    var pending = PendingTokens(tokens, wanted: wanted, stop: stop)
    var time = Duration.zero
    while true {
      let start = ContinuousClock.now
      try timeline.append(
        &pending, until: { ComputeThread.shared.isAwaited && ContinuousClock.now - start >= Self.turn },
        progress: { progress?($0) }, eachRow: eachRow)
      time += ContinuousClock.now - start
      if pending.isDone { return time }
      await Task.yield()
    }
  }
}
