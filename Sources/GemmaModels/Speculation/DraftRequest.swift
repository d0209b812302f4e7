import GemmaKernels
package import GemmaRuntime

/// Chooses a token from its logits as the answer's tokens are chosen, with the random number of its position; `history`
/// is all that comes before it.
package typealias TokenChoice = (
  _ logits: UnsafeBufferPointer<Float>, _ position: Int, _ history: ArraySlice<TokenID>
) throws -> TokenID

/// What a source of drafts is asked for: guesses of what follows `token`, which itself follows the timeline's tokens and
/// is not computed yet.
package struct DraftRequest {
  /// The most guesses that are wanted.
  package var count: Int
  package let token: TokenID
  package let timeline: Timeline
  /// Whoever raises it wants no guesses any more.
  package let stop: StopSignal
  /// For sources that predict logits: two similar predictions and one random number give the same token more often than
  /// a draw gives the likeliest one.
  package let choose: TokenChoice

  package init(
    _ count: Int, after token: TokenID, on timeline: Timeline, stop: StopSignal = StopSignal(),
    choose: @escaping TokenChoice = Self.likeliest
  ) {
    self.count = count
    self.token = token
    self.timeline = timeline
    self.stop = stop
    self.choose = choose
  }

  /// The same for at most so many guesses.
  func limited(to most: Int) -> DraftRequest {
    var request = self
    request.count = min(count, most)
    return request
  }

  /// The token with the largest logit, of equals the one that comes first in the vocabulary.
  package static let likeliest: @Sendable (UnsafeBufferPointer<Float>, Int, ArraySlice<TokenID>) -> TokenID = {
    logits, _, _ in
    let place = ck_argmax(logits.baseAddress, logits.count)
    return place < logits.count ? TokenID(truncatingIfNeeded: place) : 0
  }
}
