import Gemma
import GemmaTestSupport
import Testing

@Suite struct ContextTests {
  @Test("sync keeps the common beginning and gives the same prediction as a fresh context")
  func reuse() async throws {
    let model = try await SessionTests.demo()
    let warm = GemmaContext(model)
    let first = try await warm.sync(to: [2, 10, 20, 30, 40])
    #expect(first.cachedTokens == 0 && first.computedTokens == 5)
    let second = try await warm.sync(to: [2, 10, 20, 31, 41, 51])
    #expect(second.cachedTokens == 3 && second.computedTokens == 3)
    let cold = GemmaContext(model)
    try await cold.sync(to: [2, 10, 20, 31, 41, 51])
    #expect(try await warm.logits().map(\.bitPattern) == cold.logits().map(\.bitPattern))
    #expect(try await warm.sync(to: [2, 10, 20, 31, 41, 51]).computedTokens == 0)
  }

  @Test("after a rewind there is no prediction until the next sync")
  func rewind() async throws {
    let context = GemmaContext(try await SessionTests.demo())
    try await context.sync(to: [2, 10, 20])
    #expect(try await context.rewind(to: 2) == 2)
    #expect(await context.tokens == [2, 10])
    await #expect(throws: GemmaError.self) { try await context.logits() }
    await #expect(throws: GemmaError.self) { try await context.rewind(to: 9) }
    await #expect(throws: GemmaError.self) { try await context.rewind(to: -1) }
    try await context.sync(to: [2, 10, 20])
    #expect(try await context.logits().count == 4096)
  }

  @Test("ids outside the vocabulary, no ids and too many ids are typed errors, and the context stays usable")
  func badTokens() async throws {
    let context = GemmaContext(try await SessionTests.demo(.init(contextLength: 8)))
    await #expect(throws: GemmaError.self) { try await context.sync(to: [2, 4096]) }
    await #expect(throws: GemmaError.self) { try await context.sync(to: [-1]) }
    await #expect(throws: GemmaError.self) { try await context.sync(to: []) }
    await #expect(throws: GemmaError.self) { try await context.sync(to: Array(repeating: 5, count: 9)) }
    try await context.sync(to: [2, 10])
    let logits = try await context.logits()
    #expect(logits.allSatisfy { $0.isFinite })
    await #expect(throws: GemmaError.self) { try await context.timeline.append([4096]) }
    #expect(try await context.logits() == logits)
  }
}
