/// What is known of one source of drafts.
struct DraftRecord {
  /// Plain steps between two tries of a source that does not pay.
  private static let probeIntervals = (first: 8, last: 256)
  /// Weight of what was known at each new observation: about the last 20 count.
  private static let memory = 0.95
  /// The fraction of first drafts that is presumed right, and the weight of a presumption in observations.
  private static let presumed = (fraction: 0.6, weight: 2.0)

  private var right = [Double](repeating: 0, count: DraftedRound.longestDraft)
  private var tried = [Double](repeating: 0, count: DraftedRound.longestDraft)
  private var plainSteps = 0
  private var probeInterval = Self.probeIntervals.first
  var cost = RoundCost()

  /// The fraction of i-th drafts that are right when those before are. Of later drafts the same is presumed as of the one
  /// before.
  var acceptance: [Double] {
    var fraction = Self.presumed.fraction
    return zip(right, tried).map { right, tried in
      fraction = (right + Self.presumed.weight * fraction) / (tried + Self.presumed.weight)
      return fraction
    }
  }

  mutating func note(drafted: Int, accepted: Int) {
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
