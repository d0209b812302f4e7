#if os(Linux)
  import Foundation
  import Gemma
  import GemmaTestSupport
  import Testing

  /// A folder with a Gemma 3n of 35 layers of the size people use, such as the E4B; it needs no vocabulary.
  private let e4b = ProcessInfo.processInfo.environment["GEMMA_E4B_MODEL"].map { URL(filePath: $0) }

  /// The counters belong to the whole process and other tests run in this one: these have their own.
  @Suite(.serialized) struct SliceMemoryTests {
    @Test("two sizes side by side share the mapped pages and take of the pool what each one planned")
    func demo() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        try await SliceMemoryTests.run(Fixtures.demo, .half, promptTokens: 300)
      }
      print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }

    @Test("a full-size E4B and its E2B side by side", .enabled(if: e4b != nil, "GEMMA_E4B_MODEL is not set"))
    func large() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        try await SliceMemoryTests.run(try #require(e4b), .e2b, promptTokens: 256)
      }
      print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }

    private static func run(_ folder: URL, _ slice: MatFormerSlice, promptTokens: Int) async throws {
      let full = try await GemmaModel(at: folder, options: .init(contextLength: 2048))
      try report("loaded")
      let small = try full.sliced(to: slice)
      try report("sliced")
      #expect(Memory.activeMemory == 0 && small.info.mappedBytes == full.info.mappedBytes)

      let prompt = SessionTests.tokens(promptTokens)
      let alone = GemmaContext(full)
      try await time("full", alone, prompt)
      #expect(Memory.activeMemory == full.plan.poolBytes)
      let touched = try #require(try ProcessMemory.status("RssFile"))
      let beside = GemmaContext(small)
      try await time(slice.name, beside, prompt)
      #expect(Memory.activeMemory == full.plan.poolBytes + small.plan.poolBytes)
      #expect(small.plan.poolBytes < full.plan.poolBytes)
      // The kernel counts a page once for every mapping that touched it: a mapping of its own would show.
      let growth = try #require(try ProcessMemory.status("RssFile")) - touched
      #expect(growth < full.info.mappedBytes / 8)
    }

    /// Runs the prompt and 16 tokens behind it.
    private static func time(_ name: String, _ context: GemmaContext, _ prompt: [TokenID]) async throws {
      let start = ContinuousClock.now
      try await context.sync(to: prompt)
      let middle = ContinuousClock.now
      for _ in 0..<16 { _ = try await context.next() }
      let rates = [middle - start, (ContinuousClock.now - middle) / 16 * prompt.count].map {
        String(format: "%.1f", Double(prompt.count) / ($0 / .seconds(1)))
      }
      print("\(name): prefill \(rates[0]), decode \(rates[1]) tokens/s")
      try report(name)
    }

    private static func report(_ moment: String) throws {
      let anonymous = try #require(try ProcessMemory.status("RssAnon"))
      let file = try #require(try ProcessMemory.status("RssFile"))
      print("\(moment): pool \(Memory.activeMemory), resident \(anonymous) anonymous, \(file) of files, bytes")
    }
  }
#endif
