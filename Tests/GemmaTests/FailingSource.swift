import Gemma
import GemmaModels
import GemmaRuntime

/// Cannot draft, but for the first time.
final class FailingSource: DraftSource {
  let kind = DraftKind.drafter
  private var calls = 0

  func draft(_ request: DraftRequest) throws -> [TokenID] {
    calls += 1
    guard calls > 1 else { return [request.token] }
    throw GemmaError.degenerateOutput(reason: "made up")
  }
}
