/// Decides how many tokens to draft, and by which source, from what was measured: the share of drafts that were right
/// and the time that passes over one or several tokens took.
///
/// A round with g drafts yields 1 + a1 + a1 a2 + ... tokens, where ai is the share of i-th drafts that are right when
/// those before are. It costs a plain step and g times a row more and the drafting of a token, as weights that are read
/// once serve all rows. The controller takes the g with the most tokens per second, g = 0 included. What does not pay is tried again later, ever more seldom. It has no clock of its
/// own, and nothing it decides changes a token.
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

  /// The cost of a further row of a pass before it is known, as a share of a plain step.
  private static let presumedRowCost = 0.1
  /// Rounds in a row after which a plain step refreshes what plain decoding costs.
  private static let longestRun = 64
  /// Drafts of a round that finds out whether a source pays by now.
  private static let probeLength = 2

  private var plain = Recent()
  private var row = Recent()
  private var sources: [DraftKind: SourceRecord] = [:]
  private var roundsInARow = 0

  package init() {}

  /// Seconds of a plain step, once one was measured.
  package var plainSeconds: Double? { plain.value }

  /// The share of i-th drafts of a source that were right when those before were, for i = 0 ..., as presumed so far.
  package func acceptance(of kind: DraftKind) -> [Double] { sources[kind, default: SourceRecord()].acceptance }

  /// What to try next; nil: a plain step. `available` says how many drafts each source could make.
  package mutating func choose(_ available: [Choice]) -> Choice? {
    guard let plainSeconds, roundsInARow < Self.longestRun else {
      roundsInARow = 0
      return nil
    }
    var best: (choice: Choice, rate: Double)?
    for offer in available where offer.count > 0 {
      var record = sources[offer.kind, default: SourceRecord()]
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

  /// Notes a pass over `rows` tokens that took so long, drafting excluded.
  package mutating func notePass(rows: Int, seconds: Double) {
    if rows <= 1 {
      plain.add(seconds)
    } else if let plainSeconds {
      row.add(max(0, seconds - plainSeconds) / Double(rows - 1))
    }
  }

  /// Notes a round's drafts: how many were made, how many of them were right, and the time it took to make them.
  package mutating func noteDrafts(_ kind: DraftKind, drafted: Int, accepted: Int, seconds: Double) {
    guard drafted > 0 else { return }
    var record = sources[kind, default: SourceRecord()]
    record.note(drafted: drafted, accepted: accepted, seconds: seconds)
    let pays = bestLength(record, upTo: Timeline.longestDraft).rate > 1 / (plainSeconds ?? .infinity)
    record.endProbe(pays: pays)
    sources[kind] = record
  }

  /// The draft length with the most tokens per second.
  private func bestLength(_ record: SourceRecord, upTo limit: Int) -> (length: Int, rate: Double) {
    var best = (length: 0, rate: 0.0)
    guard let plainSeconds else { return best }
    let draftSeconds = (row.value ?? Self.presumedRowCost * plainSeconds) + (record.draftSeconds.value ?? 0)
    var tokens = 1.0
    var survival = 1.0
    for length in 1...max(1, min(limit, Timeline.longestDraft)) {
      survival *= record.acceptance[length - 1]
      tokens += survival
      let rate = tokens / (plainSeconds + Double(length) * draftSeconds)
      if rate > best.rate { best = (length, rate) }
    }
    return best
  }
}

/// What is known of one source.
private struct SourceRecord {
  /// Rounds of plain steps between two tries of a source that does not pay.
  private static let probeIntervals = (first: 8, last: 256)
  /// Weight of what was known at each new observation: about the last 20 count.
  private static let memory = 0.95
  /// Presumed at first: 6 right of 10, with the weight of two observations.
  private static let presumed = (right: 1.2, tried: 2.0)

  private var right = [Double](repeating: Self.presumed.right, count: Timeline.longestDraft)
  private var tried = [Double](repeating: Self.presumed.tried, count: Timeline.longestDraft)
  private var plainSteps = 0
  private var probeInterval = Self.probeIntervals.first
  /// Seconds for each draft.
  var draftSeconds = Recent()

  var acceptance: [Double] { zip(right, tried).map { $0 / $1 } }

  mutating func note(drafted: Int, accepted: Int, seconds: Double) {
    draftSeconds.add(seconds / Double(drafted))
    // Drafts behind the first wrong one say nothing.
    for index in 0..<min(drafted, accepted + 1, right.count) {
      right[index] = right[index] * Self.memory + (index < accepted ? 1 : 0)
      tried[index] = tried[index] * Self.memory + 1
    }
  }

  /// Whether it is time to try again; to be asked once for each plain step.
  mutating func isProbeDue() -> Bool {
    plainSteps += 1
    return plainSteps >= probeInterval
  }

  mutating func endProbe(pays: Bool) {
    if pays {
      probeInterval = Self.probeIntervals.first
    } else if plainSteps >= probeInterval {
      probeInterval = min(2 * probeInterval, Self.probeIntervals.last)
    }
    plainSteps = 0
  }
}

/// The median of the latest values: a pass that was slow because another process took the cores does not count.
private struct Recent {
  private static let length = 9
  private var values: [Double] = []
  private var next = 0

  private(set) var value: Double?

  mutating func add(_ new: Double) {
    if values.count < Self.length {
      values.append(new)
    } else {
      values[next] = new
      next = (next + 1) % Self.length
    }
    value = values.sorted()[values.count / 2]
  }
}
