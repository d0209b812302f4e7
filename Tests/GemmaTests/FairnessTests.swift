import Gemma
import GemmaTestSupport
import Synchronization
import Testing

@Suite(.serialized) struct FairnessTests {
  #if os(macOS) || os(Linux)
    // In a process of its own, so that nobody else takes turns.
    @Test("a short request beside a long prefill answers before that ends, and both as if alone")
    func turns() async {
      await #expect(processExitsWith: .success) { try await FairnessTests.besideLongPrefill() }
    }

    @Test("a short request beside a long answer is answered before that ends, and both as if alone")
    func rounds() async {
      await #expect(processExitsWith: .success) { try await FairnessTests.besideLongAnswer() }
    }
  #endif

  private static func besideLongAnswer() async throws {
    let model = try await SessionTests.demo(.init(threads: 1))
    let short = GenerationOptions(sampling: .greedy, maximumResponseTokens: 4, ignoresEndOfTurn: true)
    let long = GenerationOptions(sampling: .greedy, maximumResponseTokens: 1000, ignoresEndOfTurn: true)
    let alone = try await GemmaSession(model).respond(to: "fox", options: short).tokens
    let longAlone = try await GemmaSession(model).respond(to: "wolf", options: long).content

    let isLongDone = Mutex(false)
    async let answer: String = {
      let response = try await GemmaSession(model).respond(to: "wolf", options: long)
      isLongDone.withLock { $0 = true }
      return response.content
    }()
    // A small part of what the long one takes: it is on its way then.
    try await Task.sleep(for: .milliseconds(20))
    let beside = try await GemmaSession(model).respond(to: "fox", options: short).tokens
    #expect(isLongDone.withLock { !$0 })
    #expect(beside == alone)
    #expect(try await answer == longAlone)
  }

  private static func besideLongPrefill() async throws {
    let options = GenerationOptions(sampling: .greedy, maximumResponseTokens: 4, ignoresEndOfTurn: true)
    let short = try await SessionTests.demo()
    let alone = try await GemmaSession(short).respond(to: "fox", options: options).tokens

    let model = try await SessionTests.demo(.init(threads: 1, activations: .float32))
    let prompt = SessionTests.tokens(3000)
    let context = GemmaContext(model)
    let isLongDone = Mutex(false)
    async let long: Void = {
      try await context.sync(to: prompt)
      isLongDone.withLock { $0 = true }
    }()
    while await context.tokens.isEmpty { await Task.yield() }
    let beside = try await GemmaSession(short).respond(to: "fox", options: options).tokens
    #expect(isLongDone.withLock { !$0 })
    #expect(beside == alone)
    try await long
    let fresh = GemmaContext(model)
    try await fresh.sync(to: prompt)
    #expect(try await context.logits().map(\.bitPattern) == fresh.logits().map(\.bitPattern))
  }

  @Test("calls on one context are served one after another, whatever pauses they make")
  func oneContext() async throws {
    let context = GemmaContext(try await SessionTests.demo(.init(threads: 1, activations: .float32)))
    let other = GemmaContext(try await SessionTests.demo())
    let prompts = (0..<3).map { SessionTests.tokens(600, from: $0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for prompt in prompts {
        group.addTask { try await context.sync(to: prompt) }
        group.addTask { try await other.sync(to: Array(prompt.prefix(50))) }
      }
      try await group.waitForAll()
    }
    let left = await context.tokens
    #expect(prompts.contains(left))
    let fresh = GemmaContext(try await SessionTests.demo(.init(activations: .float32)))
    try await fresh.sync(to: left)
    #expect(try await context.logits().map(\.bitPattern) == fresh.logits().map(\.bitPattern))
  }
}

@Suite struct GateTests {
  @Test("callers pass in the order in which they came, one at a time")
  func order() async throws {
    let gate = Gate()
    #expect(gate.enterIfFree() && !gate.enterIfFree())
    let passed = Mutex<[Int]>([])
    var tasks: [Task<Void, any Error>] = []
    for index in 0..<4 {
      let count = gate.waitingCount
      tasks.append(
        Task { @Sendable in
          try await gate.enter()
          passed.withLock { $0.append(index) }
          gate.leave()
        })
      while gate.waitingCount == count { await Task.yield() }
    }
    tasks[1].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[1].value }
    #expect(passed.withLock { $0.isEmpty })
    gate.leave()
    for index in [0, 2, 3] { try await tasks[index].value }
    #expect(passed.withLock { $0 } == [0, 2, 3])
    #expect(gate.enterIfFree())
  }

  @Test("a cancelled task does not wait")
  func cancelled() async {
    let gate = Gate()
    #expect(gate.enterIfFree())
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await gate.enter()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    gate.leave()
    #expect(gate.enterIfFree())
  }
}
