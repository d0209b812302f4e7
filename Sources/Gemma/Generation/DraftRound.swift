package import GemmaModels
package import GemmaRuntime

/// One pass of the model in an answer: a token and what was drafted behind it.
package struct DraftRound: Sendable {
  /// Position of the first drafted token.
  package let position: Int
  /// Where the drafts come from; nil without drafts.
  package let source: DraftKind?
  package let drafted: [TokenID]
  /// How many of them were right and part of the answer.
  package internal(set) var accepted: Int
  /// The tokens that the model chose: the right drafts, and one more.
  package let next: [TokenID]
  /// Time saved against plain decoding, negative for a loss; nil without drafts, or while the cost of plain steps is
  /// unknown.
  package let secondsSaved: Double?
  /// Why a source was given up, if one was.
  package let failure: String?
}
