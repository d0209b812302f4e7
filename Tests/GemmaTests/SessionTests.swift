import Foundation
import Gemma
import GemmaTestSupport
import Testing

@Suite struct SessionTests {
  static func seeded(_ seed: UInt64, maximum: Int = 300) -> GenerationOptions {
    GenerationOptions(
      sampling: .random(temperature: 0.7, topK: 40, topP: 0.95, seed: seed), maximumResponseTokens: maximum)
  }

  static func demo(_ options: GemmaModel.Options = GemmaModel.Options()) async throws -> GemmaModel {
    try await GemmaModel(at: Fixtures.demo, options: options)
  }

  /// Ids all over the demo model's vocabulary, which any other has too.
  static func tokens(_ count: Int, from first: Int = 0) -> [TokenID] {
    (first..<first + count).map { index in TokenID(3 + index * 7919 % 4000) }
  }

  @Test("the demo model tells a story and stops by itself or at the limit")
  func story() async throws {
    let response = try await GemmaSession(Self.demo()).respond(to: "Tell me about a fox", options: Self.seeded(7))
    #expect(response.content.count > 40)
    #expect(response.finishReason == .endOfTurn || response.tokens.count == 300)
    #expect(response.statistics.responseTokens == response.tokens.count)
    #expect(response.statistics.promptTokens == response.promptTokens.count)
    #expect(response.statistics.timeToFirstToken > .zero)
    #expect(response.statistics.decodeTokensPerSecond > 0)
  }

  @Test("equal seeds give equal text on any number of threads, other seeds another text")
  func seeds() async throws {
    let one = try await GemmaSession(Self.demo(.init(threads: 1))).respond(
      to: "Once upon a time", options: Self.seeded(1, maximum: 40))
    let two = try await GemmaSession(Self.demo(.init(threads: 2, prefillChunk: 3))).respond(
      to: "Once upon a time", options: Self.seeded(1, maximum: 40))
    let other = try await GemmaSession(Self.demo()).respond(
      to: "Once upon a time", options: Self.seeded(2, maximum: 40))
    #expect(one.content == two.content)
    #expect(one.content != other.content)
  }

  @Test("the second turn reuses what the first left, and answers as a cold session would")
  func turns() async throws {
    let model = try await Self.demo()
    let session = GemmaSession(model)
    let options = GenerationOptions(sampling: .greedy, maximumResponseTokens: 12)
    let first = try await session.respond(to: "Tell me about a fox", options: options)
    let second = try await session.respond(to: "And a wolf?", options: options)
    #expect(second.statistics.cachedPromptTokens >= first.promptTokens.count)
    let context = GemmaContext(model)
    try await context.sync(to: second.promptTokens)
    var cold: [TokenID] = []
    for _ in second.tokens { cold.append(try await context.next()) }
    #expect(cold == second.tokens)
  }

  @Test("deltas add up to the answer, and snapshots end with it")
  func streams() async throws {
    let model = try await Self.demo()
    let options = Self.seeded(3, maximum: 30)
    let whole = try await GemmaSession(model).respond(to: "Tell me about a fox", options: options).content
    var text = ""
    for try await delta in GemmaSession(model).streamResponse(to: "Tell me about a fox", options: options).deltas {
      text += delta
    }
    #expect(text == whole)
    let collected = try await GemmaSession(model).streamResponse(to: "Tell me about a fox", options: options).collect()
    #expect(collected.content == whole && !collected.tokens.isEmpty)
    #expect(collected.statistics.responseTokens == collected.tokens.count)
    var last = ""
    for try await snapshot in GemmaSession(model).streamResponse(to: "Tell me about a fox", options: options).snapshots
    {
      #expect(snapshot.text.hasPrefix(last))
      last = snapshot.text
    }
    #expect(last == whole)
  }

  @Test("a stop text ends the answer and is not part of it")
  func stopText() async throws {
    let model = try await Self.demo()
    let free = try await GemmaSession(model).respond(to: "Once upon a time", options: Self.seeded(5, maximum: 60))
    let stop = String(free.content.dropFirst(free.content.count / 2).prefix(6))
    var options = Self.seeded(5, maximum: 60)
    options.stop = [stop]
    let stopped = try await GemmaSession(model).respond(to: "Once upon a time", options: options)
    #expect(stopped.finishReason == .stopSequence)
    let range = try #require(free.content.range(of: stop))
    #expect(stopped.content == String(free.content[..<range.lowerBound]))
  }

  @Test("a second prompt meanwhile is refused, and cancelling frees the session")
  func busyAndCancel() async throws {
    let session = GemmaSession(try await Self.demo())
    let options = GenerationOptions(sampling: .greedy, maximumResponseTokens: 3000, ignoresEndOfTurn: true)
    var iterator = session.streamResponse(to: "Once upon a time", options: options).makeAsyncIterator()
    _ = try await iterator.next()
    await #expect(throws: GemmaError.sessionBusy) { try await session.respond(to: "And then?") }
    await #expect(throws: GemmaError.sessionBusy) { try await session.streamResponse(to: "And then?").collect() }

    let other = GemmaSession(try await Self.demo())
    let task = Task { try await other.respond(to: "Once upon a time", options: options) }
    while !other.isResponding { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!other.isResponding)
    let after = try await other.respond(to: "Hello", options: Self.seeded(1, maximum: 3))
    #expect(after.statistics.responseTokens > 0)
  }

  @Test("dropping a stream stops the work and leaves the session usable")
  func dropped() async throws {
    let session = GemmaSession(try await Self.demo())
    let options = GenerationOptions(sampling: .greedy, maximumResponseTokens: 3000, ignoresEndOfTurn: true)
    for try await _ in session.streamResponse(to: "Once upon a time", options: options).deltas { break }
    let start = ContinuousClock.now
    while session.isResponding, ContinuousClock.now - start < .seconds(5) {
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(!session.isResponding)
    #expect(ContinuousClock.now - start < .seconds(2))
    try await session.respond(to: "Hello", options: Self.seeded(1, maximum: 3))
  }

  @Test("a prompt longer than the context and an empty one are refused")
  func badPrompts() async throws {
    let model = try await Self.demo(.init(contextLength: 16))
    let long = String(repeating: "fox ", count: 100)
    do {
      try await GemmaSession(model).respond(to: long)
      Issue.record("a prompt beyond the context was taken")
    } catch GemmaError.contextLengthExceeded(let limit, let requested) {
      #expect(limit == 16 && requested > 100)
    }
    await #expect(throws: GemmaError.invalidInput("the prompt is empty")) {
      try await GemmaSession(model).respond(to: "")
    }
  }

  @Test("an answer ends when the context is full")
  func fullContext() async throws {
    let model = try await Self.demo(.init(contextLength: 24))
    let options = GenerationOptions(sampling: .greedy, ignoresEndOfTurn: true)
    let response = try await GemmaSession(model).respond(to: "fox", options: options)
    #expect(response.finishReason == .contextFull)
    #expect(response.promptTokens.count + response.tokens.count == 25)
  }
}
