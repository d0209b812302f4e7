import GemmaKernels
package import GemmaRuntime
import GemmaWeights

/// Drafts with a multi-token-prediction model: four small layers that have queries only and read the target's keys and
/// values, so that they need no pass over the prompt (Gemma 4).
///
/// One step, for a token t and the target's hidden state s [B] at the position p of the token behind the timeline:
///   x = preProjection · [sqrt(B) * embedding(t), s];  x = layer(x), four times;  y = norm(x);
///   the guess is chosen from outputHead(y) as the answer's tokens are from logits;  s' = postProjection · y.
/// The first step of a round takes the token that was chosen last and the target's final state that led to it; each
/// other one the guess and the state of the step before it. All steps of a round stand at the same position.
package final class MTPDrafter: DraftSource {
  package let kind = DraftKind.drafter
  private let drafter: LoadedDrafter
  private let options: ComputeOptions
  private let workspace: Workspace
  private let readAhead = ReadAhead()
  /// The text and its drafts so far: kept, so that no round takes memory for it.
  private var history: [TokenID] = []

  /// Takes all its memory at once: `LoadedDrafter.workspaceBytes`. For one timeline of this length and these options.
  package init(_ drafter: LoadedDrafter, contextLength: Int, options: ComputeOptions) throws(GemmaError) {
    self.drafter = drafter
    self.options = options
    workspace = try Workspace(
      drafter.layerConfiguration, drafter: drafter.configuration, chunk: 1, contextLength: contextLength)
  }

  /// What this source really holds of the pool.
  package var heldBytes: Int { workspace.heldBytes }

  /// A drafter with clusters scores the pieces of the best ones only; for all others `choose` finds -infinity.
  package func draft(_ request: DraftRequest) throws -> [TokenID] {
    let (timeline, token) = (request.timeline, request.token)
    guard request.count > 0, let hidden = timeline.lastHidden else { return [] }
    guard drafter.fits(timeline.model), token >= 0, Int(token) < timeline.model.configuration.vocabularySize else {
      throw GemmaError.invalidInput("the drafter was loaded for another model, or token \(token) is none of its pieces")
    }
    try drafter.checkpoint.checkUnchanged()
    return try Parallel.team(threads: options.threads) {
      let backbone = drafter.configuration.backboneHiddenSize
      for table in drafter.rotary { table.fill(workspace, first: timeline.tokens.count, count: 1) }
      state.update(from: hidden, count: backbone)
      history.replaceSubrange(0..., with: timeline.tokens)
      history.append(token)
      var guesses: [TokenID] = []
      while guesses.count < request.count {
        var pass = pass(over: guesses.last ?? token, timeline, request.stop)
        if !guesses.isEmpty { carry(pass) }
        let guess = try request.choose(step(&pass, timeline.model.outputHead), history.count, history[...])
        guesses.append(guess)
        history.append(guess)
      }
      return guesses
    }
  }

  private func pass(over token: TokenID, _ timeline: Timeline, _ stop: StopSignal) -> Pass {
    let products = Products(
      workspace, quantizes: !options.float32Activations, canonical: true, stop: stop, readAhead: readAhead)
    return Pass(
      tokens: [token], position: timeline.tokens.count, wanted: 1, workspace: workspace, products: products,
      caches: timeline.caches, rotary: drafter.rotary, stop: stop, keyLag: 1)
  }

  /// The state s [B]: the second half of `.pair`.
  private var state: UnsafeMutablePointer<Float> {
    workspace.base(.pair) + drafter.configuration.backboneHiddenSize
  }

  /// s' = postProjection · y, with the y of the step before.
  private func carry(_ pass: Pass) {
    let next = Rows(base: state, stride: drafter.configuration.backboneHiddenSize)
    pass.products.multiply(
      [Products.Term(drafter.postProjection, next)], by: pass.rows(.normed, drafter.layerConfiguration.hiddenSize),
      count: 1)
  }

  /// From the pass's token and `state` to scores; leaves y [H] in `.normed`.
  private func step(_ pass: inout Pass, _ target: OutputHead) throws -> UnsafeBufferPointer<Float> {
    target.embed(pass, into: .pair)
    pass.multiply(drafter.preProjection, .stream0, by: .pair)
    for block in drafter.blocks {
      block(&pass)
      try pass.stop.check()
    }
    let hidden = drafter.layerConfiguration.hiddenSize
    let (x, y) = (pass.rows(.stream0, hidden), pass.rows(.normed, hidden))
    pass.forEachRow { row in drafter.norm(y.row(row), x.row(row)) }
    return try drafter.outputHead(pass)
  }
}
