import GemmaModels
public import GemmaRuntime

/// How one answer is generated.
public struct GenerationOptions: Sendable, Hashable {
  /// How the next token is chosen from the model's prediction.
  public enum Sampling: Sendable, Hashable {
    /// What the model's `generation_config.json` recommends; where it says nothing, the defaults of `random`.
    case recommended(seed: UInt64? = nil)
    /// Always the likeliest token.
    case greedy
    /// A draw from the prediction, after temperature, top-k, top-p and min-p in that order.
    ///
    /// `temperature` >= 0 (0 is greedy), `topK` >= 1, `topP` in (0, 1], `minP` in [0, 1]; nil switches a filter off.
    /// Equal seeds give equal text; nil draws a new seed for each answer.
    case random(
      temperature: Float = 1, topK: Int? = 64, topP: Float? = 0.95, minP: Float? = nil, seed: UInt64? = nil)
  }

  /// Whether tokens are drafted ahead, so that the model checks several in one pass. The answer is the same in any case;
  /// only the time changes.
  public enum Speculation: Sendable, Hashable {
    /// One token a pass.
    case off
    /// As many drafts, from the source, that measurement finds fastest; none where drafting does not pay. Sources are
    /// the session's drafter, if it has one, and earlier text that began alike (prompt lookup).
    case automatic
    /// So many drafts in each round, 1 to ``longestDraft``: from the session's drafter, or from earlier text.
    case draft(tokens: Int)

    /// The most drafts of a round: 8.
    public static let longestDraft = DraftedRound.longestDraft
  }

  /// How tokens are chosen.
  public var sampling: Sampling
  /// The most tokens an answer may have, at least 1; nil: as many as the context holds.
  public var maximumResponseTokens: Int?
  /// Texts that end the answer. They are not part of it, and no part of them is streamed.
  public var stop: [String]
  /// Above 1, tokens that already occurred (prompt included) become less likely: a positive logit is divided by this
  /// and a negative one multiplied. 1 changes nothing. Must be above 0.
  public var repetitionPenalty: Float
  /// Goes on after the model's own end-of-turn tokens, until another limit is reached.
  public var ignoresEndOfTurn: Bool
  /// Whether tokens are drafted ahead.
  public var speculation: Speculation

  /// The model's recommended sampling and no other limit than the context.
  public init(
    sampling: Sampling = .recommended(), maximumResponseTokens: Int? = nil, stop: [String] = [],
    repetitionPenalty: Float = 1, ignoresEndOfTurn: Bool = false, speculation: Speculation = .automatic
  ) {
    self.sampling = sampling
    self.maximumResponseTokens = maximumResponseTokens
    self.stop = stop
    self.repetitionPenalty = repetitionPenalty
    self.ignoresEndOfTurn = ignoresEndOfTurn
    self.speculation = speculation
  }

  /// Greedy: the same prompt gives the same text on every machine.
  public static let deterministic = GenerationOptions(sampling: .greedy)

  /// Throws ``GemmaError/invalidOption(_:)`` for the first value outside its range.
  public func validate() throws(GemmaError) {
    try sampling.validate()
    if let maximum = maximumResponseTokens, maximum < 1 {
      throw .invalidOption("the maximum of response tokens must be at least 1, not \(maximum)")
    }
    guard repetitionPenalty > 0, repetitionPenalty.isFinite else {
      throw .invalidOption("the repetition penalty must be a number above 0, not \(repetitionPenalty)")
    }
    if case .draft(let count) = speculation, !(1...Speculation.longestDraft).contains(count) {
      throw .invalidOption("the drafts of a round must be 1 to \(Speculation.longestDraft), not \(count)")
    }
    if stop.contains("") { throw .invalidOption("a stop text must not be empty") }
  }
}

extension GenerationOptions.Sampling {
  func validate() throws(GemmaError) {
    guard case .random(let temperature, let topK, let topP, let minP, _) = self else { return }
    guard temperature >= 0, temperature.isFinite else {
      throw .invalidOption("the temperature must be 0 or more, not \(temperature)")
    }
    if let topK, topK < 1 { throw .invalidOption("top-k must be at least 1, not \(topK)") }
    if let topP, !(topP > 0 && topP <= 1) {
      throw .invalidOption("top-p must be above 0 and at most 1, not \(topP)")
    }
    if let minP, !(minP >= 0 && minP <= 1) {
      throw .invalidOption("min-p must be between 0 and 1, not \(minP)")
    }
  }
}

extension GenerationOptions.Speculation {
  /// nil: no drafts.
  var length: Speculator.Length? {
    switch self {
    case .off: nil
    case .automatic: .adaptive
    case .draft(let tokens): .fixed(tokens)
    }
  }
}
