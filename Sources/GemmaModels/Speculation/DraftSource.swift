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

/// Guesses how a timeline goes on, so that the model can check several tokens in one pass.
///
/// A guess may be wrong, never the answer: the model computes every position itself. Not thread-safe: all calls come
/// from the compute thread, and one source serves one timeline.
package protocol DraftSource: AnyObject {
  var kind: DraftKind { get }

  /// Guesses of what comes next; fewer than wanted, or none, where it has no more.
  ///
  /// Throws `CancellationError` soon after the request's signal was raised, and `GemmaError`; the timeline is then as it
  /// was.
  func draft(_ request: DraftRequest) throws -> [TokenID]
}
