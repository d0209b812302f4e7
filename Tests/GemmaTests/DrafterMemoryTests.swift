#if os(Linux)
  import Foundation
  import Gemma
  import GemmaTestSupport
  import Testing

  /// The counters belong to the whole process and other tests run in this one: these have their own.
  @Suite(.serialized) struct DrafterMemoryTests {
    private static let folder = Fixtures.demo4.appending(path: "drafter")
    private static let options = GemmaModel.Options(contextLength: 512)

    private static func answer(
      _ session: GemmaSession, _ count: Int, _ speculation: GenerationOptions.Speculation = .draft(tokens: 2)
    ) async throws -> Response<String> {
      try await session.respond(
        to: "Tell me a story",
        options: GenerationOptions(sampling: .greedy, maximumResponseTokens: count, speculation: speculation))
    }

    @Test("a session with a drafter holds from its first prompt on what was planned, mapped files included")
    func planned() async {
      await #expect(processExitsWith: .success) {
        let model = try await GemmaModel(at: Fixtures.demo4, options: DrafterMemoryTests.options)
        let drafter = try await GemmaDrafter(at: DrafterMemoryTests.folder, for: model)
        let plan = model.plan(with: drafter)
        let promised = try GemmaModel.plan(
          for: Fixtures.demo4, options: DrafterMemoryTests.options, drafter: DrafterMemoryTests.folder)
        #expect(plan == promised && plan.drafterBytes == drafter.workspaceBytes(contextLength: 512))
        #expect(model.plan.drafterBytes == 0 && plan.poolBytes == model.plan.poolBytes + plan.drafterBytes)
        let files = [Fixtures.demo4, DrafterMemoryTests.folder].map { $0.appending(path: "model.safetensors") }
        #expect(try plan.mappedBytes == files.reduce(0) { try $0 + Data(contentsOf: $1).count })
        let session = GemmaSession(model, drafter: drafter)
        #expect(Memory.activeMemory == 0)
        for count in [1, 20] {
          let response = try await DrafterMemoryTests.answer(session, count)
          #expect(Memory.activeMemory == plan.poolBytes && Memory.peakMemory == plan.poolBytes, "\(count)")
          #expect(response.statistics.mappedBytes == plan.mappedBytes)
        }
        withExtendedLifetime(session) {}
      }
    }

    @Test("a model's slice as its drafter is planned too, and maps nothing of its own")
    func slice() async {
      await #expect(processExitsWith: .success) {
        let model = try await GemmaModel(at: Fixtures.demo, options: DrafterMemoryTests.options)
        let drafter = try GemmaDrafter(slicing: model, to: .half)
        let plan = model.plan(with: drafter)
        #expect(plan.drafterBytes > 0 && plan.mappedBytes == model.info.mappedBytes)
        let session = GemmaSession(model, drafter: drafter)
        let response = try await DrafterMemoryTests.answer(session, 1)
        #expect(Memory.activeMemory == plan.poolBytes && response.statistics.mappedBytes == plan.mappedBytes)
        withExtendedLifetime(session) {}
      }
    }

    @Test("a byte below the plan the answer goes on without drafts, and says so where they were wanted")
    func limit() async {
      await #expect(processExitsWith: .success) {
        let model = try await GemmaModel(at: Fixtures.demo4, options: DrafterMemoryTests.options)
        let drafter = try await GemmaDrafter(at: DrafterMemoryTests.folder, for: model)
        let session = GemmaSession(model, drafter: drafter)
        Memory.memoryLimit = model.plan(with: drafter).poolBytes - 1
        let plain = try await DrafterMemoryTests.answer(session, 12, .off)
        #expect(plain.statistics.speculation.failure == nil && Memory.activeMemory == model.plan.poolBytes)
        let wanted = try await DrafterMemoryTests.answer(session, 12)
        #expect(wanted.statistics.speculation.failure?.contains("memory limit") == true)
      }
    }
  }
#endif
