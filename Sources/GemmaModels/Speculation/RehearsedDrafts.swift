package import GemmaRuntime

/// Drafts a continuation that is known already, wrongly at every fifth position: rounds of all kinds come up, and the
/// answer must be the known one. For tests and `gemma verify`.
package final class RehearsedDrafts: DraftSource {
  package let kind = DraftKind.drafter
  private let text: [TokenID]
  private let vocabulary: Int

  /// `text`: prompt and answer.
  package init(_ text: [TokenID], vocabulary: Int) {
    self.text = text
    self.vocabulary = vocabulary
  }

  package func draft(_ request: DraftRequest) -> [TokenID] {
    let start = request.timeline.tokens.count + 1
    return (start..<max(start, min(start + request.count, text.count))).map { position in
      position % 5 == 3 ? (text[position] + 1) % TokenID(vocabulary) : text[position]
    }
  }
}
