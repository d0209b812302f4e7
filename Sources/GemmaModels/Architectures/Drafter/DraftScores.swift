import GemmaKernels
package import GemmaRuntime

/// What a drafter thinks of the pieces it looked at, in memory that the next step overwrites.
package struct DraftScores {
  /// Nil where every piece was scored, in order.
  let pieces: UnsafeBufferPointer<TokenID>?
  let logits: UnsafeBufferPointer<Float>
  let vocabulary: Int

  /// The piece with the largest score, of equals the one that comes first in the vocabulary.
  package var best: TokenID {
    let place = ck_argmax(logits.baseAddress, logits.count)
    guard place < logits.count else { return 0 }
    guard let pieces else { return TokenID(truncatingIfNeeded: place) }
    var best = pieces[place]
    for other in logits.indices where logits[other] == logits[place] { best = min(best, pieces[other]) }
    return best
  }

  /// Scores of all pieces [V], those that were not looked at one below the smallest score, as in transformers.
  package var full: [Float] { full(others: (logits.min() ?? 0) - 1) }

  /// Scores of all pieces [V], with `others` for those that were not looked at.
  func full(others: Float) -> [Float] {
    guard let pieces else { return Array(logits) }
    var full = [Float](repeating: others, count: vocabulary)
    for (piece, logit) in zip(pieces, logits) { full[Int(piece)] = logit }
    return full
  }
}
