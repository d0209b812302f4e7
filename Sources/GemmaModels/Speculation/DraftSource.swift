package import GemmaRuntime

/// Where guesses of the next tokens come from.
package enum DraftKind: String, Sendable, Hashable, CaseIterable {
  /// Earlier text that began in the same way.
  case promptLookup = "prompt_lookup"
  /// A multi-token-prediction drafter that was trained for the model.
  case drafter
  /// A smaller slice of the model itself.
  case slice
}

/// Chooses a token from its logits as the answer's tokens are chosen, with the random number of its position; `history`
/// is all that comes before it.
package typealias TokenChoice = (
  _ logits: UnsafeBufferPointer<Float>, _ position: Int, _ history: ArraySlice<TokenID>
) throws -> TokenID

/// Guesses how a timeline goes on, so that the model can check several tokens in one pass.
///
/// A guess may be wrong, never the answer: the model computes every position itself. Not thread-safe: all calls come
/// from the compute thread, and one source serves one timeline.
package protocol DraftSource: AnyObject {
  var kind: DraftKind { get }

  /// At most `count` guesses of what follows `token`, which itself follows the timeline's tokens and is not computed
  /// yet. May return fewer, or none where it has no guess.
  ///
  /// Throws `CancellationError` soon after `stop` was raised, and `GemmaError`; the timeline is then as it was.
  func draft(_ count: Int, after token: TokenID, on timeline: Timeline, stop: StopSignal) throws -> [TokenID]

  /// The same, with guesses chosen by `choose`, for sources that predict logits: two similar predictions and one random
  /// number give the same token more often than a draw gives the likeliest one.
  func draft(
    _ count: Int, after token: TokenID, on timeline: Timeline, stop: StopSignal, choose: TokenChoice
  ) throws -> [TokenID]
}

extension DraftSource {
  package func draft(
    _ count: Int, after token: TokenID, on timeline: Timeline, stop: StopSignal, choose: TokenChoice
  ) throws -> [TokenID] {
    try draft(count, after: token, on: timeline, stop: stop)
  }
}
