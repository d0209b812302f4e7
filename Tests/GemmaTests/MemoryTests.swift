import Gemma
import TestSupport
import Testing

/// Counters belong to the whole process: this suite looks for growth, which other tests only hide for a moment.
@Suite(.serialized) struct MemoryTests {
  @Test("a loaded model plans what its headers alone promised")
  func plan() async throws {
    let model = try await SessionTests.demo()
    #expect(model.plan == (try GemmaModel.plan(for: Fixtures.demo)))
    #expect(model.plan.poolBytes > 0 && model.plan.contextLength == 4096)
    #expect(model.plan.mappedBytes == model.info.mappedBytes)
  }

  @Test("200 requests leave as many bytes in use as one")
  func soak() async throws {
    let model = try await SessionTests.demo()
    let options = GenerationOptions(sampling: .greedy, maximumResponseTokens: 2)
    var lowest = [Int.max, Int.max]
    for request in 0..<200 {
      try await GemmaSession(model).respond(to: "fox \(request % 7)", options: options)
      lowest[request / 100] = min(lowest[request / 100], Memory.activeMemory)
    }
    // The least in use between requests: contexts of tests beside this one come and go, a leak only adds up.
    #expect(lowest[1] <= lowest[0] + model.plan.poolBytes)
  }
}
