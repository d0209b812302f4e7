import GemmaModels
public import GemmaRuntime
import GemmaWeights

/// One timeline of tokens with its key/value caches: the token level below ``GemmaSession``, without any chat logic.
///
/// Safe to share: calls are served one at a time, in the order in which they came, on the compute thread. Long ones
/// take turns with those of other contexts and sessions.
public final class GemmaContext: Sendable {
  /// What `sync(to:)` found in the caches and what it had to compute, in tokens.
  public struct Reuse: Sendable, Hashable {
    /// Tokens whose keys and values were there.
    public let cachedTokens: Int
    /// Tokens that went through the model.
    public let computedTokens: Int
  }

  /// Bytes that the forward passes of a context have asked the memory for so far: what speed is measured against.
  public struct BytesRead: Sendable, Hashable {
    /// Weights with their scales: each matrix once a pass, of tables and sparse matrices only the rows that were needed.
    /// A prompt takes a pass for every chunk, an answer one for every token.
    public let weights: Int
    /// Keys and values that were attended to, once a pass and layer.
    public let keysAndValues: Int
  }

  private let model: GemmaModel
  package let timeline: TimelineActor

  /// An empty timeline. Its memory is taken at the first `sync(to:)`.
  public init(_ model: GemmaModel) {
    self.model = model
    timeline = TimelineActor(model)
  }

  /// The tokens the caches hold.
  public var tokens: [TokenID] {
    get async { await timeline.tokens }
  }

  /// What the forward passes have read.
  public var bytesRead: BytesRead {
    get async {
      let (weights, keysAndValues) = await timeline.bytesRead
      return BytesRead(weights: weights, keysAndValues: keysAndValues)
    }
  }

  /// Makes the timeline hold exactly `tokens`: keeps the common beginning and computes the rest.
  ///
  /// A cancelled task stops within milliseconds; the complete chunks are kept.
  ///
  /// - Throws: ``GemmaError`` for an empty list, ids outside the vocabulary or more tokens than the context holds.
  @discardableResult
  public func sync(to tokens: [TokenID]) async throws -> Reuse {
    let reuse = try await timeline.sync(to: tokens)
    return Reuse(cachedTokens: reuse.cached, computedTokens: reuse.computed)
  }

  /// Chooses the token after the last one and appends it.
  ///
  /// A cancelled call appends nothing, and the prediction is gone until the next `sync(to:)`.
  public func next(_ sampling: GenerationOptions.Sampling = .greedy) async throws -> TokenID {
    try sampling.validate()
    return try await timeline.next(
      Sampler(draw: sampling.draw(recommended: model.loaded.checkpoint.generation)))
  }

  /// The prediction after the last token: one logit per piece of the vocabulary, after the model's soft cap.
  public func logits() async throws -> [Float] {
    try await timeline.withLogits { Array($0) }
  }

  /// Drops all tokens behind position `position`.
  ///
  /// Sliding-window caches may have overwritten what this needs; then everything is dropped.
  ///
  /// - Returns: How many tokens are left. The prediction is gone until the next `sync(to:)`.
  @discardableResult
  public func rewind(to position: Int) async throws -> Int {
    try await timeline.rewind(to: position)
  }
}
