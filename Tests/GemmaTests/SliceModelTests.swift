import Foundation
import Gemma
import GemmaTestSupport
import Testing

@Suite("Sizes of one model") struct SliceModelTests {
  /// The opening of a chapter of "Alice's Adventures in Wonderland" (public domain), and words like those of a tale.
  private static let text = """
    The King and Queen of Hearts were seated on their throne when they arrived, with a great crowd assembled about \
    them, all sorts of little birds and beasts, as well as the whole pack of cards. There was once a poor woodcutter \
    who lived with his wife and his children near a great forest. One day he said to his wife: What shall we do?
    """

  /// Nats per token.
  private func loss(_ model: GemmaModel) async throws -> Float {
    let tokens = [try model.tokenizer.beginOfSequence] + (try model.tokenizer.encode(Self.text))
    let context = GemmaContext(model)
    var sum: Float = 0
    for count in 1..<tokens.count {
      try await context.sync(to: Array(tokens[..<count]))
      let logits = try await context.logits()
      // Capped at 30, so that no exponential overflows.
      sum += log(logits.reduce(0) { $0 + exp($1) }) - logits[Int(tokens[count])]
    }
    return sum / Float(tokens.count - 1)
  }

  @Test("the demo at half width writes nearly as well as at full width, as its model card says")
  func demo() async throws {
    let full = try await GemmaModel(at: Fixtures.demo, options: .init(contextLength: 256))
    let half = try full.sliced(to: .half)
    let (whole, part) = (try await loss(full), try await loss(half))
    print("nats per token: \(whole) at full width, \(part) at half")
    // 0.009 over 60,000 tokens; these are few. A cut at another place costs nats.
    #expect(abs(whole - part) < 0.12 && whole != part && whole < 4.5)
    #expect(half.info.slice == "half" && full.info.slice == "full")
    #expect(half.info.mappedBytes == full.info.mappedBytes)
    #expect(half.plan.workspaceBytes < full.plan.workspaceBytes && half.plan.keyValueBytes == full.plan.keyValueBytes)
  }

  @Test("a size given at load plans and answers as one derived from another size does")
  func derived() async throws {
    let slice = MatFormerSlice.uniform(eighths: 6)
    let loaded = try await GemmaModel(at: Fixtures.demo, options: .init(slice: slice, contextLength: 64))
    // Slices are always slices of the whole model.
    let derived = try await GemmaModel(at: Fixtures.demo, options: .init(slice: .half, contextLength: 64))
      .sliced(to: slice)
    #expect(loaded.plan == derived.plan && loaded.info == derived.info)
    #expect(try GemmaModel.plan(for: Fixtures.demo, options: loaded.options) == loaded.plan)
    let options = GenerationOptions(sampling: .greedy, maximumResponseTokens: 20)
    let texts = [
      try await GemmaSession(loaded).respond(to: "A fox", options: options).tokens,
      try await GemmaSession(derived).respond(to: "A fox", options: options).tokens,
    ]
    #expect(texts[0] == texts[1])
  }

  @Test("what does not fit the model is refused by name and layer, at load and later")
  func refused() async throws {
    let model = try await GemmaModel(at: Fixtures.demo)
    for slice in [MatFormerSlice.e2b, MatFormerSlice(name: "mine", feedForwardWidths: nil, skippedLayers: [4])] {
      let error = #expect(throws: GemmaError.self) { try model.sliced(to: slice) }
      guard case .unsupportedSlice(name: slice.name, layer: .some, reason: _) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      await #expect(throws: GemmaError.self) {
        _ = try await GemmaModel(at: Fixtures.demo, options: .init(slice: slice))
      }
      #expect(throws: GemmaError.self) { try GemmaModel.plan(for: Fixtures.demo, options: .init(slice: slice)) }
    }
  }
}
