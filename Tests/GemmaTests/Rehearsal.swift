import Gemma
import Models
import Tensors

/// Drafts what it was told comes, wrongly at every fifth position, so that rounds of all kinds come up.
final class Rehearsal: DraftSource {
  let kind = DraftKind.drafter
  private let text: [TokenID]
  private let vocabulary: Int

  init(_ text: [TokenID], vocabulary: Int) {
    self.text = text
    self.vocabulary = vocabulary
  }

  func draft(_ count: Int, after token: TokenID, on timeline: Timeline, stop: StopSignal) -> [TokenID] {
    let start = timeline.tokens.count + 1
    return (start..<max(start, min(start + count, text.count))).map { position in
      position % 5 == 3 ? (text[position] + 1) % TokenID(vocabulary) : text[position]
    }
  }
}

/// Cannot draft, but for the first time.
final class FailingSource: DraftSource {
  let kind = DraftKind.drafter
  private var calls = 0

  func draft(_ count: Int, after token: TokenID, on timeline: Timeline, stop: StopSignal) throws -> [TokenID] {
    calls += 1
    guard calls > 1 else { return [token] }
    throw GemmaError.degenerateOutput(reason: "made up")
  }
}
