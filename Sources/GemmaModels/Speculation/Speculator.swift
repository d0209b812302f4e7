import Foundation
package import GemmaRuntime

/// The sources of drafts of one timeline, and what is known about them.
package final class Speculator {
  /// Tokens that may come next.
  package struct Proposal {
    package let kind: DraftKind
    package let tokens: [TokenID]
    /// What it took to make them.
    let seconds: Double
  }

  /// How many tokens are drafted.
  package enum Length: Sendable, Hashable {
    /// What measurement says.
    case adaptive
    /// Always so many, where a source has them.
    case fixed(Int)
  }

  /// Sources in the order of preference, for fixed lengths.
  private var sources: [any DraftSource]
  private var controller = DraftController()
  /// Why a source was given up, in words.
  package private(set) var failure: String?

  package init(_ sources: [any DraftSource], failure: String? = nil) {
    self.sources = sources
    self.failure = failure
  }

  /// Guesses of what comes next; nil: take a plain step.
  ///
  /// A source that fails is given up, and `failure` says why. Throws `CancellationError` after the request's signal was
  /// raised.
  package func propose(_ length: Length, _ request: DraftRequest) throws -> Proposal? {
    guard request.count > 0, !sources.isEmpty else { return nil }
    switch length {
    case .fixed(let count):
      for source in sources {
        if let proposal = try draft(source, request.limited(to: count)) { return proposal }
      }
      return nil
    case .adaptive:
      // Looking up is free, and only then it is known whether there is anything.
      var lookup: Proposal?
      var offers: [DraftController.Choice] = []
      for source in sources {
        if source.kind == .promptLookup {
          lookup = try draft(source, request)
          offers.append(DraftController.Choice(kind: .promptLookup, count: lookup?.tokens.count ?? 0))
        } else {
          offers.append(DraftController.Choice(kind: source.kind, count: request.count))
        }
      }
      guard let choice = controller.choose(offers) else { return nil }
      if choice.kind == .promptLookup, let lookup {
        return Proposal(
          kind: lookup.kind, tokens: Array(lookup.tokens.prefix(choice.count)), seconds: lookup.seconds)
      }
      guard let source = sources.first(where: { $0.kind == choice.kind }) else { return nil }
      return try draft(source, request.limited(to: choice.count))
    }
  }

  /// Notes a pass over a token and its drafts, of which `accepted` were right. Returns how many seconds it saved against
  /// plain steps; nil while their cost is unknown.
  @discardableResult
  package func note(_ proposal: Proposal?, accepted: Int, passSeconds: Double) -> Double? {
    let drafted = proposal?.tokens.count ?? 0
    guard let proposal, drafted > 0 else {
      controller.notePlain(seconds: passSeconds)
      return nil
    }
    controller.noteRound(
      proposal.kind, drafted: drafted, accepted: accepted, seconds: passSeconds + proposal.seconds)
    return controller.plainSeconds.map { Double(1 + accepted) * $0 - passSeconds - proposal.seconds }
  }

  private func draft(_ source: any DraftSource, _ request: DraftRequest) throws -> Proposal? {
    let start = ContinuousClock.now
    do {
      let tokens = try source.draft(request.limited(to: DraftedRound.longestDraft))
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      return tokens.isEmpty ? nil : Proposal(kind: source.kind, tokens: tokens, seconds: seconds)
    } catch let error as GemmaError {
      failure = "\(source.kind.rawValue): \(error.localizedDescription)"
      sources.removeAll { $0 === source }
      return nil
    }
  }
}
