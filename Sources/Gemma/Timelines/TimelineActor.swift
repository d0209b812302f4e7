package import GemmaModels
package import GemmaRuntime

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

  /// Work goes on for this long before others get the thread: much more than the change costs, little beside a token's
  /// time in models of the sizes at hand.
  private static let timeSlice = Duration.milliseconds(20)

  /// Tokens the timeline can hold.
  package nonisolated let contextLength: Int
  /// Bytes of weight files that are mapped for its drafter alone.
  package nonisolated let drafterMappedBytes: Int
  private let maker: TimelineMaker
  private let gate = Gate()
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
    maker = TimelineMaker(model: model, options: options ?? model.options, makeDrafts: makeDrafts)
    contextLength = maker.contextLength
    self.drafterMappedBytes = drafterMappedBytes
  }

  package init(_ model: GemmaModel, drafter: GemmaDrafter?) {
    self.init(model, makeDrafts: drafter?.makeDrafts, drafterMappedBytes: drafter?.mappedBytes ?? 0)
  }

  package var tokens: [TokenID] { timeline?.tokens ?? [] }

  package var bytesRead: (weights: Int, keysAndValues: Int) {
    (timeline?.traffic.weightBytes ?? 0, timeline?.traffic.cacheBytes ?? 0)
  }

  /// Makes the timeline hold exactly these tokens: keeps the common beginning and appends the rest. `progress` gets the
  /// number of tokens appended so far, after every chunk.
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
    let rest = Array(wanted[kept...])
    let time = try await withStopSignal { stop in
      try await append(rest, to: timeline, wanted: .last, stop: stop, progress: progress)
    }
    return Reuse(cached: kept, computed: rest.count, time: time)
  }

  package func append(_ tokens: [TokenID]) async throws {
    try await enter()
    defer { gate.leave() }
    let timeline = try opened()
    _ = try await withStopSignal { stop in try await append(tokens, to: timeline, wanted: .last, stop: stop) }
  }

  /// Appends tokens and hands out the logits of each; `body` gets the token's index and runs on the compute thread.
  package func append(
    _ tokens: [TokenID], eachRow body: @Sendable (Int, UnsafeBufferPointer<Float>) throws -> Void
  ) async throws {
    try await enter()
    defer { gate.leave() }
    let timeline = try opened()
    _ = try await withStopSignal { stop in
      try await append(tokens, to: timeline, wanted: .every, stop: stop, eachRow: body)
    }
  }

  /// Appends a token, with drafts of its successors where that seems worth it, and chooses at most `limit` tokens that
  /// follow; all but the last of them are appended. The tokens are those of one-by-one sampling. Whoever raises the
  /// signal stops it.
  package func round(
    _ sampler: Sampler, after token: TokenID, speculation: GenerationOptions.Speculation, limit: Int, stop: StopSignal
  ) async throws -> DraftedRound {
    try await enter()
    defer { gate.leave() }
    let timeline = try opened()
    let length = speculation.length
    // A round chooses one token more than it accepts.
    let most = min(limit, contextLength - timeline.tokens.count) - 1
    let request = DraftRequest(most, after: token, on: timeline, stop: stop) {
      try sampler.next($0, position: $1, history: $2)
    }
    return try await DraftedRound.play(request, length, by: length == nil ? speculator : opened(speculatorOf: timeline))
    {
      try await append($0, to: timeline, wanted: .every, stop: stop)
    }
  }

  /// Ends an answer after so many of the tokens that its last round chose.
  package func end(_ round: inout DraftedRound, after count: Int) async throws {
    try await enter()
    defer { gate.leave() }
    round.end(after: count, on: try opened())
  }

  /// Chooses the next token; it is not appended.
  package func sample(_ sampler: Sampler) async throws -> TokenID {
    try await enter()
    defer { gate.leave() }
    return try opened().sample(sampler)
  }

  /// Chooses the next token and appends it.
  package func next(_ sampler: Sampler) async throws -> TokenID {
    try await enter()
    defer { gate.leave() }
    let timeline = try opened()
    let token = try timeline.sample(sampler)
    _ = try await withStopSignal { stop in try await append([token], to: timeline, wanted: .last, stop: stop) }
    return token
  }

  /// Reads the logits of the last token.
  package func withLogits<Result: Sendable>(
    _ body: @Sendable (UnsafeBufferPointer<Float>) throws -> Result
  ) async throws -> Result {
    try await enter()
    defer { gate.leave() }
    return try body(opened().prediction())
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
    let made = try maker.timeline()
    timeline = made
    if maker.makeDrafts != nil { _ = opened(speculatorOf: made) }
    return made
  }

  /// Made at the first round with drafts, unless there is a drafter.
  private func opened(speculatorOf timeline: Timeline) -> Speculator {
    if let speculator { return speculator }
    let made = maker.speculator(for: timeline)
    speculator = made
    return made
  }

  /// Sends tokens through the model in time slices, if other timelines want the thread, until the signal is raised;
  /// returns the time of the work itself.
  private func append(
    _ tokens: [TokenID], to timeline: Timeline, wanted: PendingTokens.Wanted, stop: StopSignal,
    progress: (@Sendable (Int) -> Void)? = nil,
    eachRow: @Sendable (Int, UnsafeBufferPointer<Float>) throws -> Void = { _, _ in }
  ) async throws -> Duration {
    var pending = PendingTokens(tokens, wanted: wanted, stop: stop)
    var time = Duration.zero
    while true {
      let start = ContinuousClock.now
      try timeline.append(
        &pending, until: { ComputeThread.shared.isAwaited && ContinuousClock.now - start >= Self.timeSlice },
        progress: { progress?($0) }, eachRow: eachRow)
      time += ContinuousClock.now - start
      if pending.isDone { return time }
      await Task.yield()
    }
  }
}
