/// Decides how many tokens to draft, and by which source, from what was measured: the fraction of drafts that were
/// right and the time of rounds and of plain steps.
///
/// A round with g drafts yields 1 + a1 + a1 a2 + ... tokens, where ai is the fraction of i-th drafts that are right when
/// those before are, and takes longer than a plain step by what `RoundCost` has learned. The controller takes the g with
/// the most tokens per second, g = 0 included. What does not pay is tried again later, ever more seldom. It has no clock
/// of its own, and nothing it decides changes a token.
package struct DraftController {
  /// What to do next.
  package struct Choice: Equatable {
    package let kind: DraftKind
    package let count: Int

    package init(kind: DraftKind, count: Int) {
      self.kind = kind
      self.count = count
    }
  }

  /// Plain steps before the first round: the very first ones find cold caches, and everything looks cheap beside them.
  private static let firstSteps = 4
  /// Rounds in a row after which a plain step refreshes what plain decoding costs.
  private static let mostRoundsInARow = 32
  /// Drafts of a round that finds out whether a source pays by now.
  private static let probeLength = 2

  private var plain = RecentMedian()
  private var sources: [DraftKind: DraftRecord] = [:]
  private var roundsInARow = 0

  package init() {}

  /// Seconds of a plain step, once one was measured.
  package var plainSeconds: Double? { plain.value }

  /// The fraction of i-th drafts of a source that were right when those before were, for i = 0 ..., as presumed so far.
  package func acceptance(of kind: DraftKind) -> [Double] { sources[kind, default: DraftRecord()].acceptance }

  /// What to try next; nil: a plain step. `available` says how many drafts each source could make.
  package mutating func choose(_ available: [Choice]) -> Choice? {
    guard let plainSeconds, plain.count >= Self.firstSteps, roundsInARow < Self.mostRoundsInARow else {
      roundsInARow = 0
      return nil
    }
    var best: (choice: Choice, rate: Double)?
    for offer in available where offer.count > 0 {
      var record = sources[offer.kind, default: DraftRecord()]
      var found = bestLength(record, upTo: offer.count)
      if found.rate <= 1 / plainSeconds {
        found = (record.isProbeDue() ? min(Self.probeLength, offer.count) : 0, 1 / plainSeconds)
      }
      sources[offer.kind] = record
      if found.length > 0, found.rate > best?.rate ?? 0 {
        best = (Choice(kind: offer.kind, count: found.length), found.rate)
      }
    }
    roundsInARow = best == nil ? 0 : roundsInARow + 1
    return best?.choice
  }

  /// Notes a plain step.
  package mutating func notePlain(seconds: Double) { plain.add(seconds) }

  /// Notes a round: how many tokens were drafted, how many of them were right, and the time of drafting and checking.
  package mutating func noteRound(_ kind: DraftKind, drafted: Int, accepted: Int, seconds: Double) {
    guard drafted > 0 else { return }
    var record = sources[kind, default: DraftRecord()]
    record.note(drafted: drafted, accepted: accepted)
    if let plainSeconds {
      record.cost.add(drafts: drafted, seconds: max(0, seconds - plainSeconds))
      record.endProbe(pays: bestLength(record, upTo: DraftedRound.longestDraft).rate > 1 / plainSeconds)
    }
    sources[kind] = record
  }

  /// The draft length with the most tokens per second.
  private func bestLength(_ record: DraftRecord, upTo limit: Int) -> (length: Int, rate: Double) {
    var best = (length: 0, rate: 0.0)
    guard let plainSeconds else { return best }
    let acceptance = record.acceptance
    var tokens = 1.0
    var survival = 1.0
    for length in 1...max(1, min(limit, DraftedRound.longestDraft)) {
      survival *= acceptance[length - 1]
      tokens += survival
      let rate = tokens / (plainSeconds + record.cost.excess(drafts: length, plain: plainSeconds))
      if rate > best.rate { best = (length, rate) }
    }
    return best
  }
}
