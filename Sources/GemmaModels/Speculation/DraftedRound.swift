package import GemmaRuntime

/// One round of an answer: a token and the drafts behind it go through the model in one pass, and of the drafts those
/// count which the model would have chosen itself.
package struct DraftedRound: Sendable {
  /// The most tokens that a round may draft, behind the token that is chosen already.
  package static let longestDraft = Workspace.logitRows - 1

  /// Position of the first drafted token.
  package let position: Int
  /// Where the drafts come from; nil without drafts.
  package let source: DraftKind?
  package let drafted: [TokenID]
  /// The tokens that the model chose: the right drafts, and one more. All but the last are appended.
  package let next: [TokenID]
  /// How many drafts were right and part of the answer.
  package private(set) var accepted: Int
  /// Time saved against plain decoding, negative for a loss; nil without drafts, or while the cost of plain steps is
  /// unknown.
  package let secondsSaved: Double?
  /// Why a source was given up, if one was.
  package let failure: String?

  /// Appends the request's token to its timeline, with drafts of its successors, and chooses what follows: the tokens
  /// are those of one-by-one sampling.
  ///
  /// - Parameters:
  ///   - length: nil: no drafts.
  ///   - speculator: Makes the drafts, and learns what they brought.
  ///   - append: Appends tokens to the timeline, with the logits of each, and returns the time of the work.
  package nonisolated(nonsending) static func play(
    _ request: DraftRequest, _ length: Speculator.Length?, by speculator: Speculator?,
    append: nonisolated(nonsending) ([TokenID]) async throws -> Duration
  ) async throws -> DraftedRound {
    let timeline = request.timeline
    let first = timeline.tokens.count

    // Propose.
    let proposal = try length.flatMap { try speculator?.propose($0, request) }
    let drafts = proposal?.tokens ?? []

    // Append.
    let time = try await append([request.token] + drafts)

    // Accept drafts as long as they are what the model chooses, and rewind over the others.
    var next: [TokenID] = []
    do {
      defer { _ = timeline.rewind(to: first + max(1, next.count)) }
      repeat {
        let last = first + next.count
        next.append(try request.choose(timeline.logits(of: last), last + 1, timeline.tokens[...last]))
      } while next.count <= drafts.count && next[next.count - 1] == drafts[next.count - 1]
    }

    // Note what it took and brought.
    let accepted = next.count - 1
    let saved = speculator?.note(proposal, accepted: accepted, passSeconds: time / .seconds(1))
    return DraftedRound(
      position: first + 1, source: proposal?.kind, drafted: drafts, next: next, accepted: accepted,
      secondsSaved: saved ?? nil, failure: length == nil ? nil : speculator?.failure)
  }

  /// Ends the answer with the first `count` tokens of `next`. Right drafts behind the end leave no trace: the last token
  /// is chosen and not appended, as without drafts.
  package mutating func end(after count: Int, on timeline: Timeline) {
    accepted = min(accepted, count)
    _ = timeline.rewind(to: position - 1 + count)
  }
}
