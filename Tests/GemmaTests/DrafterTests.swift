import Foundation
import Gemma
import GemmaModels
import GemmaTestSupport
import Testing

@Suite("GemmaDrafter")
struct GemmaDrafterTests {
  @Test("loads the bundled drafter for the bundled model, and plans what a source of its takes")
  func bundled() async throws {
    let model = try await GemmaModel(at: Fixtures.demo4)
    let drafter = try await GemmaDrafter(at: Fixtures.demo4.appending(path: "drafter"), for: model)
    #expect(drafter.mappedBytes > 900_000)
    let options = ComputeOptions(threads: 1)
    let timeline = try Timeline(model.loaded, contextLength: 512, options: options)
    let source = try drafter.source(for: timeline, options)
    #expect(source.kind == .drafter)
    #expect((source as? MTPDrafter)?.heldBytes == drafter.workspaceBytes(contextLength: 512))
  }

  @Test("refuses a drafter of another model, a model in place of a drafter, and an empty folder")
  func refused() async throws {
    let model = try await GemmaModel(at: Fixtures.demo4)
    let wrong = await #expect(throws: GemmaError.self) {
      _ = try await GemmaDrafter(at: Fixtures.drafter("gemma4-e"), for: model)
    }
    #expect(wrong?.errorDescription?.contains("does not fit the model") == true)
    for folder in [Fixtures.demo4, Fixtures.folder, Fixtures.drafter("none")] {
      await #expect(throws: GemmaError.self) { _ = try await GemmaDrafter(at: folder, for: model) }
    }
  }
}
