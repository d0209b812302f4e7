package import Tensors
import Weights

/// One sequence of tokens with the keys and values that the model has computed for it.
///
/// Not thread-safe: all calls come from one thread, the `ComputeThread` in practice.
package final class Timeline {
  package private(set) var tokens: [TokenID] = []
  package let contextLength: Int
  package let model: LoadedModel
  private let options: ComputeOptions
  private let workspace: Workspace
  private let products: Products
  private let caches: [KeyValueCache?]
  /// Positions below this may have been written at some time, also by chunks that were given up later.
  private var writtenEnd = 0
  /// Row of `.logits` that holds the last token's, if they are there.
  private var lastLogits: Int?

  /// Takes all its memory at once. `contextLength` counts tokens, prompt and answer together.
  package init(_ model: LoadedModel, contextLength: Int, options: ComputeOptions) throws(GemmaError) {
    guard contextLength > 0 else { throw .invalidOption("the context length must be at least 1, not \(contextLength)") }
    guard options.threads > 0 else { throw .invalidOption("at least 1 thread is needed, not \(options.threads)") }
    guard options.prefillChunk > 0 else {
      throw .invalidOption("the prefill chunk must hold at least 1 token, not \(options.prefillChunk)")
    }
    self.model = model
    self.contextLength = contextLength
    self.options = options
    let shape = CacheShape(model.configuration, contextLength: contextLength, options: options)
    workspace = try Workspace(model.configuration, chunk: shape.chunk)
    // A quantised model promises the same bits for any chunk, also where some of its matrices are not quantised.
    let quantizes = !options.float32Activations
    products = Products(
      workspace, quantizes: quantizes,
      canonical: options.reproducible || (quantizes && model.head.embedding.isQuantized))
    var caches: [KeyValueCache?] = []
    for layer in model.configuration.layers {
      caches.append(layer.keyValueSource == nil ? try KeyValueCache(layer, shape) : nil)
    }
    self.caches = caches
  }

  /// What this timeline really holds of the pool, to be compared with `LoadedModel.plan`.
  package var held: ContextPlan {
    ContextPlan(
      keyValueBytes: caches.reduce(0) { $0 + ($1?.heldBytes ?? 0) }, workspaceBytes: workspace.heldBytes)
  }

  /// Logits of the last token after the final cap, [vocabulary]; empty before the first token and after a rewind.
  /// Valid until the next call.
  package var logits: UnsafeBufferPointer<Float> {
    guard let lastLogits else { return UnsafeBufferPointer(start: nil, count: 0) }
    let vocabulary = model.configuration.vocabularySize
    return UnsafeBufferPointer(start: workspace.base(.logits) + lastLogits * vocabulary, count: vocabulary)
  }

  /// Appends tokens and computes the logits of the last one.
  ///
  /// `progress` gets the number of these tokens that are done, after every chunk. Throws `CancellationError` when
  /// `shouldStop` says so (asked before every layer), and `GemmaError`; the timeline then ends with the last complete
  /// chunk.
  package func advance(_ tokens: [TokenID], shouldStop: () -> Bool, progress: (Int) -> Void) throws {
    try run(tokens, shouldStop) { first, count in
      first + count == tokens.count ? 1 : 0
    } finish: { pass, _ in
      if pass.count > 0 { try model.head.logits(pass, 0..<1) }
    } completed: { end in
      if end == tokens.count { lastLogits = 0 }
      progress(end)
    }
  }

  /// Appends tokens and calls `eachRow` with the index of each token and the logits after it, in order.
  package func advance(
    _ tokens: [TokenID], shouldStop: () -> Bool, eachRow: (Int, UnsafeBufferPointer<Float>) throws -> Void
  ) throws {
    let vocabulary = model.configuration.vocabularySize
    var lastRow = 0
    try run(tokens, shouldStop) { _, count in
      count
    } finish: { pass, end in
      for begin in stride(from: 0, to: pass.count, by: Workspace.headRows) {
        if shouldStop() { throw CancellationError() }
        let rows = begin..<min(begin + Workspace.headRows, pass.count)
        try model.head.logits(pass, rows)
        for row in rows {
          let logits = workspace.base(.logits) + (row - begin) * vocabulary
          try eachRow(end - pass.count + row, UnsafeBufferPointer(start: logits, count: vocabulary))
        }
        lastRow = rows.count - 1
      }
    } completed: { _ in
      lastLogits = lastRow
    }
  }

  /// Forgets all tokens from index `count` on, as far as the caches allow; returns how many are kept. A ring that has
  /// overwritten positions which the next token would see cannot go back: then everything is forgotten.
  package func rewind(to count: Int) -> Int {
    guard count < tokens.count else { return tokens.count }
    var kept = max(count, 0)
    for (layer, cache) in zip(model.configuration.layers, caches) where layer.kind == .sliding {
      guard let cache else { continue }
      let oldestSeen = max(0, kept - (model.configuration.slidingWindow - 1))
      if oldestSeen < writtenEnd - cache.capacity { kept = 0 }
    }
    if kept == 0 { writtenEnd = 0 }
    tokens.removeSubrange(kept...)
    lastLogits = nil
    return kept
  }

  /// Sends tokens through the layers chunk by chunk. `wanted` says how many rows at the end of a chunk reach `finish`;
  /// `completed` is called when the chunk has become part of the timeline.
  private func run(
    _ tokens: [TokenID], _ shouldStop: () -> Bool, wanted: (_ first: Int, _ count: Int) -> Int,
    finish: (Pass, _ end: Int) throws -> Void, completed: (_ end: Int) -> Void
  ) throws {
    try check(tokens)
    for first in stride(from: 0, to: tokens.count, by: workspace.chunk) {
      let count = min(workspace.chunk, tokens.count - first)
      lastLogits = nil
      try tokens.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        let pass = Pass(
          tokens: base + first, tokenCount: count, position: self.tokens.count, wanted: wanted(first, count),
          workspace: workspace, products: products, caches: caches, rotary: model.rotary)
        writtenEnd = max(writtenEnd, self.tokens.count + count)
        try Parallel.team(threads: options.threads) {
          try finish(try forward(pass, shouldStop), first + count)
        }
      }
      self.tokens += tokens[first..<first + count]
      completed(first + count)
    }
  }

  /// All layers and the final norm; the rows left are the wanted ones.
  private func forward(_ start: Pass, _ shouldStop: () -> Bool) throws -> Pass {
    var pass = start
    for table in model.rotary { table.fill(workspace, first: pass.position, count: pass.count) }
    model.head.embed(pass)
    model.decoder.enter(pass)
    for index in 0..<model.decoder.layerCount where pass.count > 0 {
      if shouldStop() { throw CancellationError() }
      model.decoder.layer(index, &pass)
    }
    if pass.count > 0 {
      model.decoder.leave(pass)
      model.head.normalize(pass)
    }
    return pass
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
