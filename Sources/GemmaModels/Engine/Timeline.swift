package import GemmaRuntime
import GemmaWeights

/// One sequence of tokens with the keys and values that the model has computed for it.
///
/// Not thread-safe: all calls come from one thread, the `ComputeThread` in practice.
package final class Timeline {
  package internal(set) var tokens: [TokenID] = []
  package let contextLength: Int
  package let model: LoadedModel
  let options: ComputeOptions
  private let workspace: Workspace
  private let readAhead = ReadAhead()
  /// What all passes have read so far.
  package let traffic = Traffic()
  private let quantizes: Bool
  private let canonical: Bool
  let caches: [KeyValueCache?]
  private var history: RingHistory
  /// What the last pass left in the workspace.
  private var remains: Remains?

  /// Takes all its memory at once. `contextLength` counts tokens, prompt and answer together.
  package convenience init(_ model: LoadedModel, contextLength: Int, options: ComputeOptions) throws(GemmaError) {
    guard contextLength > 0 else { throw .invalidOption("the context length must be at least 1, not \(contextLength)") }
    guard options.threads > 0 else { throw .invalidOption("at least 1 thread is needed, not \(options.threads)") }
    guard options.prefillChunk > 0 else {
      throw .invalidOption("the prefill chunk must hold at least 1 token, not \(options.prefillChunk)")
    }
    let shape = CacheShape(model.configuration, contextLength: contextLength, options: options)
    let workspace = try Workspace(model.layout, chunk: shape.chunk, contextLength: contextLength)
    var caches: [KeyValueCache?] = []
    for layer in model.configuration.layers {
      caches.append(layer.keyValueSource == nil ? try KeyValueCache(layer, shape) : nil)
    }
    self.init(model, contextLength: contextLength, options: options, workspace: workspace, caches: caches)
  }

  /// `caches` has one for each layer that owns keys and values.
  init(
    _ model: LoadedModel, contextLength: Int, options: ComputeOptions, workspace: Workspace, caches: [KeyValueCache?]
  ) {
    self.model = model
    self.contextLength = contextLength
    self.options = options
    self.workspace = workspace
    self.caches = caches
    history = RingHistory(model.configuration, caches)
    // A quantised model promises the same bits for any chunk, also where some of its matrices are not quantised.
    quantizes = !options.float32Activations
    canonical = options.reproducible || (quantizes && model.isQuantized)
  }

  /// What this timeline really holds of the pool, to be compared with `LoadedModel.plan`.
  package var held: ContextPlan {
    ContextPlan(
      keyValueBytes: caches.reduce(0) { $0 + ($1?.heldBytes ?? 0) }, workspaceBytes: workspace.heldBytes)
  }

  /// Logits of the last token after the final cap, [vocabulary]; empty where the last pass did not compute them, as
  /// after most rewinds. Valid until the next call.
  package var logits: UnsafeBufferPointer<Float> { logits(of: tokens.count - 1) }

  /// Logits of the token at `index`, if the last pass computed and kept them; else empty. It keeps those of the last
  /// `Workspace.logitRows` tokens that were wanted.
  package func logits(of index: Int) -> UnsafeBufferPointer<Float> {
    guard let remains, remains.logits.contains(index) else { return UnsafeBufferPointer(start: nil, count: 0) }
    let vocabulary = model.configuration.vocabularySize
    let row = workspace.base(.logits) + (index - remains.logits.lowerBound) * vocabulary
    return UnsafeBufferPointer(start: row, count: vocabulary)
  }

  /// The last token's hidden state after the final norm, [H], which made `logits`; nil where it was not computed.
  /// Valid until the next call.
  package var lastHidden: UnsafePointer<Float>? {
    guard let remains, remains.hidden.contains(tokens.count - 1) else { return nil }
    return UnsafePointer(
      workspace.base(.normed) + (tokens.count - 1 - remains.position) * model.configuration.hiddenSize)
  }

  /// Appends tokens.
  ///
  /// Throws `GemmaError`; for tokens that cannot be used the timeline stays as it is.
  package func append(_ tokens: [TokenID], stop: StopSignal = StopSignal()) throws {
    var pending = PendingTokens(tokens, stop: stop)
    try append(&pending)
  }

  /// Appends tokens until all are there or `pause` says so, which is asked after every layer; the next call goes on.
  /// Calls `eachRow` with the index of each token whose logits are wanted and those logits, in order, and `progress`
  /// with the number of the pending tokens that are done, after every chunk.
  ///
  /// Throws `CancellationError` soon after the pending tokens' signal was raised, and `GemmaError`; the timeline then
  /// ends with the last complete chunk, and these tokens are pending no more. For tokens that cannot be used it stays as
  /// it is.
  package func append(
    _ pending: inout PendingTokens, until pause: () -> Bool = { false }, progress: (Int) -> Void = { _ in },
    eachRow: (Int, UnsafeBufferPointer<Float>) throws -> Void = { _, _ in }
  ) throws {
    if pending.isUntouched {
      try check(pending.tokens)
      remains = nil
    }
    repeat {
      var chunk = pending.chunk ?? nextChunk(of: pending)
      let isComplete = try Parallel.team(threads: options.threads) {
        try chunk.compute(by: model, until: pause, eachRow)
      }
      pending.chunk = isComplete ? nil : chunk
      guard isComplete else { return }
      tokens += chunk.pass.tokens
      pending.done += chunk.pass.tokens.count
      progress(pending.done)
      if pending.isDone { remains = chunk.remains }
    } while !pending.isDone && !pause()
  }

  /// Forgets all tokens from index `count` on, as far as the caches allow; returns how many are kept. A ring that has
  /// overwritten positions which the next token would see cannot go back: then everything is forgotten.
  package func rewind(to count: Int) -> Int {
    guard count < tokens.count else { return tokens.count }
    let kept = history.rewind(to: max(count, 0))
    tokens.removeSubrange(kept...)
    return kept
  }

  /// Notes that the caches hold something behind the tokens, below position `end`: guesses, which whoever computes these
  /// positions overwrites.
  func noteWritten(below end: Int) { history.noteWritten(below: end) }

  private func nextChunk(of pending: PendingTokens) -> Chunk {
    let step = pending.wanted == .every ? workspace.chunk : options.prefillChunk
    let end = min(pending.done + step, pending.tokens.count)
    let tokens = Array(pending.tokens[pending.done..<end])
    let wanted = pending.wanted == .every ? tokens.count : end == pending.tokens.count ? 1 : 0
    noteWritten(below: self.tokens.count + tokens.count)
    let products = Products(
      workspace, quantizes: quantizes, canonical: canonical, stop: pending.stop, readAhead: readAhead, traffic: traffic)
    let pass = Pass(
      tokens: tokens, position: self.tokens.count, wanted: wanted, workspace: workspace, products: products,
      caches: caches, stop: pending.stop)
    return Chunk(pass, firstIndex: pending.done)
  }

  private func check(_ tokens: [TokenID]) throws(GemmaError) {
    guard !tokens.isEmpty else { throw .invalidInput("there are no tokens to process") }
    let vocabulary = model.configuration.vocabularySize
    if let wrong = tokens.first(where: { $0 < 0 || Int($0) >= vocabulary }) {
      throw .invalidInput("token id \(wrong) lies outside the vocabulary of \(vocabulary) pieces")
    }
    let requested = self.tokens.count + tokens.count
    guard requested <= contextLength else {
      throw .contextLengthExceeded(limit: contextLength, requested: requested)
    }
  }
}
