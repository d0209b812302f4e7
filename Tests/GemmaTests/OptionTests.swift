import Foundation
import Gemma
import GemmaTestSupport
import Testing

@Suite struct OptionTests {
  @Test(
    "values outside their range are typed errors",
    arguments: [
      GenerationOptions(sampling: .random(temperature: -1)),
      GenerationOptions(sampling: .random(temperature: .nan)),
      GenerationOptions(sampling: .random(topK: 0)),
      GenerationOptions(sampling: .random(topP: 7)),
      GenerationOptions(sampling: .random(topP: 0)),
      GenerationOptions(sampling: .random(minP: 2)),
      GenerationOptions(maximumResponseTokens: 0),
      GenerationOptions(stop: [""]),
      GenerationOptions(repetitionPenalty: 0),
    ])
  func generation(_ options: GenerationOptions) async throws {
    #expect(throws: GemmaError.self) { try options.validate() }
    let session = GemmaSession(try await SessionTests.demo())
    await #expect(throws: GemmaError.self) { try await session.respond(to: "fox", options: options) }
    #expect(!session.isResponding)
  }

  @Test(
    "model options outside their range are typed errors",
    arguments: [
      GemmaModel.Options(threads: 0), GemmaModel.Options(contextLength: 0), GemmaModel.Options(prefillChunk: 0),
      GemmaModel.Options(contextLength: .max), GemmaModel.Options(threads: -3),
    ])
  func model(_ options: GemmaModel.Options) async {
    #expect(throws: GemmaError.self) { try GemmaModel.plan(for: Fixtures.demo, options: options) }
    await #expect(throws: GemmaError.self) { try await SessionTests.demo(options) }
  }

  @Test("a missing folder is a model that was not found")
  func missing() async {
    let url = URL(filePath: "/nonexistent/model")
    await #expect {
      _ = try await GemmaModel(at: url)
    } throws: { error in
      if case .modelNotFound = error as? GemmaError { true } else { false }
    }
  }

  @Test("a model without tokenizer runs on ids and says what is missing for text")
  func withoutTokenizer() async throws {
    let model = try await GemmaModel(at: Fixtures.model("gemma3-bf16"))
    let context = GemmaContext(model)
    try await context.sync(to: [2, 3, 4])
    #expect(try await context.logits().count == model.info.vocabularySize)
    await #expect(throws: GemmaError.self) { try await GemmaSession(model).respond(to: "fox") }
  }
}
