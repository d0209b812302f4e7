import GemmaKernels
public import GemmaRuntime
import Synchronization

extension GemmaModel {
  /// Scores tokens in one pass over them, in a context of their own: `contextLength` is the most that can be scored.
  ///
  /// A text is scored as the model would read it with its begin of sequence in front:
  /// `[tokenizer.beginOfSequence] + tokenizer.encode(text)`.
  ///
  /// - Parameters:
  ///   - tokens: At least one.
  ///   - first: Index of the first token whose probability is asked for, as where a continuation begins; 0 ... the
  ///     number of tokens.
  ///   - top: How many candidates to keep after each token; 0 ... the size of the vocabulary, and over all tokens at
  ///     most ``Scores/maximumCandidates``.
  ///   - progress: Gets the number of tokens that are scored, after each of them, on the compute thread.
  /// - Throws: ``GemmaError`` for arguments outside these ranges, ids outside the vocabulary, more tokens than a
  ///   context holds, too little memory, or ``GemmaError/degenerateOutput(reason:)`` where a prediction is not a number;
  ///   `CancellationError` within milliseconds after the task was cancelled.
  public func score(
    _ tokens: [TokenID], from first: Int = 0, top: Int = 0, progress: (@Sendable (Int) -> Void)? = nil
  ) async throws -> Scores {
    guard (0...tokens.count).contains(first) else {
      throw GemmaError.invalidInput("there is no token \(first) to score from; there are \(tokens.count)")
    }
    guard (0...info.vocabularySize).contains(top) else {
      throw GemmaError.invalidOption("top must be 0 to the vocabulary's \(info.vocabularySize) pieces, not \(top)")
    }
    guard top <= Scores.maximumCandidates / max(tokens.count, 1) else {
      throw GemmaError.invalidOption(
        "top \(top) for \(tokens.count) tokens is more than \(Scores.maximumCandidates) candidates; lower it or score "
          + "fewer tokens at a time")
    }
    let predictions = Mutex<[Prediction]>([])
    let timeline = TimelineActor(self)
    let start = ContinuousClock.now
    try await timeline.append(tokens) { index, logits in
      let prediction = try Prediction(
        logits, of: tokens.indices.contains(index + 1) ? tokens[index + 1] : nil, top: top)
      predictions.withLock { $0.append(prediction) }
      progress?(index + 1)
    }
    var statistics = Statistics(of: self)
    statistics.promptTokens = tokens.count
    statistics.prefillTime = ContinuousClock.now - start
    let made = predictions.withLock { $0 }
    return Scores(
      tokens: tokens, logProbabilities: tokens.indices.map { $0 < max(first, 1) ? nil : made[$0 - 1].next },
      top: made.map(\.top), statistics: statistics)
  }
}

/// What is kept of the logits after one token.
private struct Prediction: Sendable {
  /// The log-probability of the token that follows; nil after the last one.
  let next: Float?
  let top: [Scores.Candidate]

  /// log p(i) = logit(i) - log(sum over j of exp(logit(j))).
  init(_ logits: UnsafeBufferPointer<Float>, of token: TokenID?, top count: Int) throws(GemmaError) {
    guard let base = logits.baseAddress else { throw .degenerateOutput(reason: "there are no logits") }
    let total = ck_log_sum_exp(base, logits.count)
    guard total.isFinite else { throw .degenerateOutput(reason: "the logits are not numbers") }
    next = token.flatMap { logits.indices.contains(Int($0)) ? logits[Int($0)] - total : nil }
    var ids = [TokenID](repeating: 0, count: count)
    var values = [Float](repeating: 0, count: count)
    let found = count == 0 ? 0 : ck_top_k(&ids, &values, count, base, logits.count)
    top = (0..<found).map { Scores.Candidate(token: ids[$0], logProbability: values[$0] - total) }
  }
}
