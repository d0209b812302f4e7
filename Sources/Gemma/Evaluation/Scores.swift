import Foundation
public import GemmaRuntime

/// How likely a model finds tokens that are given, each after those before it.
public struct Scores: Sendable, Hashable {
  /// A token that may follow.
  public struct Candidate: Sendable, Hashable {
    /// The token.
    public let token: TokenID
    /// The natural logarithm of its probability, at most 0.
    public let logProbability: Float
  }

  /// The most candidates, over all tokens, that one call keeps: 4,194,304.
  public static let maximumCandidates = 1 << 22

  /// The tokens that were scored.
  public let tokens: [TokenID]
  /// For each token the natural logarithm of its probability, at most 0. Nil for the first token, which nothing
  /// precedes, and for those before the first one that was asked for.
  public let logProbabilities: [Float?]
  /// For each token the candidates that may follow it, the likeliest first: the last list is the prediction after all
  /// tokens. Empty lists where none were asked for.
  public let top: [[Candidate]]
  /// Counts and times; the tokens count as those of a prompt.
  public let statistics: Statistics

  /// e to the power of the negative mean of the log-probabilities; nil where there are none, or where it is no finite
  /// number.
  public var perplexity: Double? {
    let known = logProbabilities.compactMap { $0.map(Double.init) }
    guard !known.isEmpty else { return nil }
    let perplexity = exp(-known.reduce(0, +) / Double(known.count))
    return perplexity.isFinite ? perplexity : nil
  }
}
