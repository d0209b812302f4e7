import Gemma
import GemmaModels
import GemmaRuntime

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
