import Foundation
import Gemma
import GemmaRuntime
import GemmaTestSupport
import Synchronization
import Testing

@Suite struct MemoryTests {
  @Test("a loaded model plans what its headers alone promised")
  func plan() async throws {
    let model = try await SessionTests.demo()
    #expect(model.plan == (try GemmaModel.plan(for: Fixtures.demo)))
    #expect(model.plan.poolBytes > 0 && model.plan.contextLength == 4096)
    #expect(model.plan.mappedBytes == model.info.mappedBytes)
  }

  #if os(Linux)
    // The counters belong to the whole process and other tests run in this one: the soak has its own.
    @Test("200 requests of every kind leave the same bytes and buffers in use, and resident memory flat")
    func soak() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        try await Soak().run()
      }
      print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }
  #endif
}

#if os(Linux)
  /// Requests of every kind and outcome in turn, with the memory of the process looked at after each.
  private struct Soak {
    private static let kinds = 8
    /// `GEMMA_SOAK_REQUESTS` makes it longer than a test suite can wait for.
    private static let requests =
      ProcessInfo.processInfo.environment["GEMMA_SOAK_REQUESTS"].flatMap { Int($0) } ?? 200
    /// Requests before the counters are taken as the base: each kind came up three times.
    private static let warmUp = 3 * kinds
    private static let long = String(repeating: "fox and wolf ", count: 400)

    private let greedy = GenerationOptions(sampling: .greedy, maximumResponseTokens: 6)
    private let endless = GenerationOptions(sampling: .greedy, maximumResponseTokens: 3000, ignoresEndOfTurn: true)

    func run() async throws {
      let model = try await SessionTests.demo(.init(contextLength: 2048))
      // One conversation stays open over all requests: what is in use then is not zero.
      let kept = GemmaContext(model)
      try await kept.sync(to: [2, 10, 20])
      let inUse = BufferPool.shared.counters
      #expect(inUse.active == model.plan.poolBytes && inUse.buffers > 0)
      // The most that is ever in use at a time, with every page touched: buffers that the pool keeps are as resident now
      // as they will ever be.
      try await Self.fill(model)
      var base = inUse
      var resident: [Int] = []
      for request in 0..<Self.requests {
        try await answer(request, model)
        // A stream that was dropped gives its buffers back a moment later.
        let start = ContinuousClock.now
        while BufferPool.shared.counters.active != inUse.active, ContinuousClock.now - start < .seconds(5) {
          try await Task.sleep(for: .milliseconds(1))
        }
        let counters = BufferPool.shared.counters
        if request == Self.warmUp { base = counters }
        if request >= Self.warmUp {
          #expect(counters == base, "request \(request)")
          resident.append(try #require(try ProcessMemory.status("RssAnon")))
        }
      }
      #expect(base.active == inUse.active && base.buffers == inUse.buffers)
      for index in stride(from: 0, to: resident.count, by: max(resident.count / 10, 1)) {
        print("soak: \(resident[index]) bytes resident after \(Self.warmUp + index + 1) requests")
      }
      let half = resident.count / 2
      let growth = resident[half...].sorted()[half / 2] - resident[..<half].sorted()[half / 2]
      print("soak: resident \(resident[0]) to \(resident[resident.count - 1]) bytes, growth of the median \(growth)")
      // What is left is the heap's own growth, which all but ends: 3,000 requests take 0.3 MB, most of it in the first 300.
      #expect(growth < 512 << 10)
    }

    /// Fills two contexts at the same time.
    private static func fill(_ model: GemmaModel) async throws {
      let contexts = [GemmaContext(model), GemmaContext(model)]
      for context in contexts { try await context.sync(to: SessionTests.tokens(model.contextLength)) }
    }

    private func answer(_ request: Int, _ model: GemmaModel) async throws {
      let session = GemmaSession(model)
      switch request % Self.kinds {
      case 0:
        try await session.respond(to: "fox \(request)", options: greedy)
      case 1:
        let options = GenerationOptions(
          sampling: .random(temperature: 0.9, topK: nil, topP: 0.9, seed: UInt64(request)), maximumResponseTokens: 6,
          repetitionPenalty: 1.1)
        try await session.respond(to: "wolf \(request)", options: options)
      case 2:
        let options = GenerationOptions(sampling: .greedy, maximumResponseTokens: 40, stop: ["e", "the "])
        try await session.respond(to: "bear \(request)", options: options)
      case 3:
        let task = Task { try await session.respond(to: Self.long, options: endless) }
        try await Task.sleep(for: .milliseconds(request % 20))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
      case 4:
        let text = String(repeating: Self.long, count: 4)
        await #expect(throws: GemmaError.self) { try await session.respond(to: text, options: greedy) }
      case 5:
        for try await _ in session.streamResponse(to: "Once upon a time", options: endless).deltas { break }
      case 6:
        let other = GemmaSession(model)
        async let first = session.respond(to: "fox \(request)", options: greedy)
        async let second = other.respond(to: "wolf \(request)", options: greedy)
        _ = try await (first, second)
      default:
        for prompt in ["fox \(request)", "And then?"] { try await session.respond(to: prompt, options: greedy) }
      }
    }
  }
#endif
