import Foundation
import Gemma
import GemmaTestSupport
import Synchronization
import Testing

/// A folder with a model of a size people use; its weights may be random, and it needs no vocabulary.
private let largeModel = ProcessInfo.processInfo.environment["GEMMA_LARGE_MODEL"].map { URL(filePath: $0) }

/// All of a process's models share one compute thread, and the other tests keep it busy: the small models whose times
/// are compared with a limit have a process of their own.
@Suite(.serialized) struct CancellationTests {
  /// Milliseconds from the cancelling of a task to its end, the task being cancelled `count` times at moments spread
  /// evenly over `moments`.
  private static func delays(
    _ count: Int, within moments: Range<Double>, of work: @escaping @Sendable () async throws -> Void
  ) async throws -> [Double] {
    var delays: [Double] = []
    for index in 0..<count {
      // Multiples of the golden ratio spread evenly without any period.
      let share = (Double(index) * 0.618_033_988_75).truncatingRemainder(dividingBy: 1)
      let moment = moments.lowerBound + share * (moments.upperBound - moments.lowerBound)
      let task = Task(operation: work)
      try await Task.sleep(for: .seconds(moment))
      let start = ContinuousClock.now
      task.cancel()
      await #expect(throws: CancellationError.self, "cancelled after \(moment) s") { try await task.value }
      delays.append((ContinuousClock.now - start) / .milliseconds(1))
    }
    return delays.sorted()
  }

  private static func report(_ name: String, _ delays: [Double]) {
    let numbers = String(format: "median %.1f ms, largest %.1f ms", delays[delays.count / 2], delays[delays.count - 1])
    print("stopping \(name) of \(delays.count): \(numbers)")
  }

  #if os(macOS) || os(Linux)
    @Test("a small model stops within 50 ms in prefill and in decode, and goes on with the same bits")
    func smallModel() async throws {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        try await CancellationTests.small()
      }
      print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }

    @Test("dropping a stream half-way through a long prompt stops the work within 50 ms")
    func droppedStream() async {
      await #expect(processExitsWith: .success) { try await CancellationTests.drop() }
    }
  #endif

  private static func small() async throws {
    let model = try await SessionTests.demo(.init(threads: 1, activations: .float32))
    let prompt = SessionTests.tokens(3000)
    let context = GemmaContext(model)
    let prefill = try await Self.delays(10, within: 0..<0.1) {
      try await context.rewind(to: 0)
      try await context.sync(to: prompt)
    }
    let decode = try await Self.delays(10, within: 0.01..<0.1) {
      try await context.sync(to: [2, 10])
      while true { _ = try await context.next() }
    }
    Self.report("prefill", prefill)
    Self.report("decode", decode)
    // Other processes share the processor: its scheduler may hold single ones up.
    #expect(prefill[5] < 50 && decode[5] < 50)

    let short = Array(prompt[..<20])
    try await context.sync(to: short)
    let fresh = GemmaContext(model)
    try await fresh.sync(to: short)
    #expect(try await context.logits().map(\.bitPattern) == fresh.logits().map(\.bitPattern))
  }

  @Test("a large model stops within 50 ms", .enabled(if: largeModel != nil, "GEMMA_LARGE_MODEL is not set"))
  func large() async throws {
    let model = try await GemmaModel(at: try #require(largeModel), options: .init(contextLength: 2100))
    let prompt = SessionTests.tokens(2000)
    let context = GemmaContext(model)
    // The weights' pages come in first: reading one from the disk cannot be interrupted.
    try await context.sync(to: prompt)
    let prefill = try await Self.delays(20, within: 0.05..<1.5) {
      try await context.rewind(to: 0)
      try await context.sync(to: prompt)
    }
    let decode = try await Self.delays(20, within: 0.1..<0.5) {
      try await context.sync(to: Array(prompt[..<64]))
      while true { _ = try await context.next() }
    }
    Self.report("prefill", prefill)
    Self.report("decode", decode)
    #expect(prefill[19] < 50 && decode[19] < 50)
  }

  private static func drop() async throws {
    let model = try await SessionTests.demo(.init(threads: 1, activations: .float32))
    let session = GemmaSession(model)
    let prompt = String(repeating: "fox and wolf ", count: 700)
    var delays: [Duration] = []
    for _ in 0..<5 {
      do {
        let stream = session.streamResponse(to: prompt)
        try await Task.sleep(for: .milliseconds(30))
        #expect(session.isResponding)
        _ = consume stream
      }
      let start = ContinuousClock.now
      while session.isResponding, ContinuousClock.now - start < .seconds(5) { await Task.yield() }
      delays.append(ContinuousClock.now - start)
    }
    #expect(delays.sorted()[2] < .milliseconds(50))
    #expect(!session.isResponding)
  }
}
