import GemmaModels

/// What drafting tokens ahead brought in one answer.
public struct SpeculationStatistics: Sendable, Hashable {
  /// Tokens that were drafted, and those among them that were right.
  public struct Count: Sendable, Hashable {
    /// Drafted tokens.
    public var drafted = 0
    /// Drafted tokens that the model chose itself.
    public var accepted = 0
  }

  /// Passes of the model that checked drafts.
  public var rounds = 0
  /// By source: `drafter`, `slice` or `prompt_lookup`.
  public var sources: [String: Count] = [:]
  /// Time saved against plain decoding, as estimated from the plain steps of this session; below zero for a loss, nil
  /// while there were no plain steps, as with a fixed number of drafts.
  public var timeSaved: Duration?
  /// Why a source of drafts was given up; the answer went on without it.
  public var failure: String?

  /// No drafts.
  public init() {}

  /// Drafted tokens of all sources.
  public var draftedTokens: Int { sources.values.reduce(0) { $0 + $1.drafted } }
  /// Right ones among them.
  public var acceptedTokens: Int { sources.values.reduce(0) { $0 + $1.accepted } }

  mutating func add(_ round: DraftedRound) {
    failure = round.failure
    guard let source = round.source else { return }
    rounds += 1
    sources[source.rawValue, default: Count()].drafted += round.drafted.count
    sources[source.rawValue, default: Count()].accepted += round.accepted
    if let seconds = round.secondsSaved { timeSaved = (timeSaved ?? .zero) + .seconds(seconds) }
  }
}
