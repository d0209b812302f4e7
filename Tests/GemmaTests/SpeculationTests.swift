import Foundation
import Gemma
import GemmaChat
import GemmaKernels
import GemmaModels
import GemmaRuntime
import GemmaTestSupport
import Testing

/// Serialised: one of the tests switches the kernels' level, which holds for the whole process.
@Suite("Drafts never change an answer", .serialized)
struct SpeculationTests {
  private static let prompt = SessionTests.tokens(30).map { $0 % 90 + 4 }

  private static func options(
    _ speculation: GenerationOptions.Speculation, sampled: Bool, count: Int = 70
  ) -> GenerationOptions {
    DraftedAnswer.options(speculation, sampled: sampled, count: count, temperature: 1.5, seed: 11)
  }

  private static func answer(
    _ model: GemmaModel, _ options: GenerationOptions, makeDrafts: MakeDraftSource? = nil
  ) async throws -> DraftedAnswer {
    try await DraftedAnswer(model, prompt, options, makeDrafts: makeDrafts)
  }

  @Test(
    "Drafts right and wrong, of every length, leave ids and caches as plain decoding does, beyond every window",
    arguments: try Fixtures.models().map(\.lastPathComponent), [false, true])
  func everyLength(name: String, sampled: Bool) async throws {
    let model = try await GemmaModel(
      at: Fixtures.model(name), options: .init(contextLength: 128, threads: 2, prefillChunk: 7))
    let plain = try await Self.answer(model, Self.options(.off, sampled: sampled))
    #expect(plain.answer.tokens.count == 70 && plain.answer.rounds.isEmpty)
    let text = Self.prompt + plain.answer.tokens
    for length in 1...8 {
      let drafted = try await Self.answer(model, Self.options(.draft(tokens: length), sampled: sampled)) { _, _ in
        RehearsedDrafts(text, vocabulary: model.info.vocabularySize)
      }
      #expect(drafted.answer.tokens == plain.answer.tokens, "\(length) drafts")
      #expect(drafted.tokens == plain.tokens, "\(length) drafts")
      #expect(drafted.bits == plain.bits, "\(length) drafts")
      #expect(drafted.answer.statistics.speculation.acceptedTokens > 70 * length / (3 * (length + 1)))
      #expect(
        drafted.answer.statistics.speculation.draftedTokens > drafted.answer.statistics.speculation.acceptedTokens)
    }
  }

  @Test("Every kernel level gives the same ids with drafts", arguments: ["gemma3n-q4-g64", "gemma4-q8-g32"])
  func levels(name: String) async throws {
    let model = try await GemmaModel(at: Fixtures.model(name), options: .init(contextLength: 128))
    let plain = try await Self.answer(model, Self.options(.off, sampled: true))
    let text = Self.prompt + plain.answer.tokens
    let before = Kernels.current
    defer { #expect(ck_level_select(before)) }
    for level in Kernels.available {
      try Kernels.select(level)
      for length in [2, 8] {
        let drafted = try await Self.answer(model, Self.options(.draft(tokens: length), sampled: true)) { _, _ in
          RehearsedDrafts(text, vocabulary: model.info.vocabularySize)
        }
        #expect(drafted.answer.tokens == plain.answer.tokens && drafted.bits == plain.bits, "\(level), \(length)")
      }
    }
  }

  @Test(
    "Prompt lookup and chosen lengths give the demos' plain answers, greedy and sampled, with a repetition penalty too",
    arguments: [Fixtures.demo, Fixtures.demo4])
  func demos(folder: URL) async throws {
    let model = try await GemmaModel(at: folder)
    for sampling in [GenerationOptions.Sampling.greedy, .random(temperature: 0.7, seed: 3)] {
      for penalty in [Float(1), 1.2] {
        var options = GenerationOptions(
          sampling: sampling, maximumResponseTokens: 250, repetitionPenalty: penalty, ignoresEndOfTurn: true,
          speculation: .off)
        let plain = try await GemmaSession(model).respond(to: "Tell me a story about a fox", options: options)
        for speculation in [GenerationOptions.Speculation.automatic, .draft(tokens: 1), .draft(tokens: 8)] {
          options.speculation = speculation
          let drafted = try await GemmaSession(model).respond(to: "Tell me a story about a fox", options: options)
          #expect(drafted.tokens == plain.tokens && drafted.content == plain.content)
        }
      }
    }
  }

  @Test("demo4's own drafter leaves its answers alone at every length, and is right now and then")
  func bundledDrafter() async throws {
    let model = try await GemmaModel(at: Fixtures.demo4)
    let drafter = try await GemmaDrafter(at: Fixtures.demo4.appending(path: "drafter"), for: model)
    for sampling in [GenerationOptions.Sampling.greedy, .random(temperature: 0.8, seed: 5)] {
      var options = GenerationOptions(
        sampling: sampling, maximumResponseTokens: 120, ignoresEndOfTurn: true, speculation: .off)
      let plain = try await GemmaSession(model).respond(to: "Tell me about a fox", options: options)
      for speculation in [GenerationOptions.Speculation.automatic] + (1...8).map({ .draft(tokens: $0) }) {
        options.speculation = speculation
        let session = GemmaSession(model, drafter: drafter)
        let drafted = try await session.respond(to: "Tell me about a fox", options: options)
        #expect(drafted.tokens == plain.tokens && drafted.content == plain.content, "\(speculation)")
        #expect(drafted.statistics.speculation.failure == nil)
        #expect(drafted.statistics.speculation.acceptedTokens > 0)
      }
    }
  }

  @Test("A drafter of another model is given up with a reason, and the answer is the plain one")
  func foreignDrafter() async throws {
    let model = try await GemmaModel(at: Fixtures.demo4)
    let drafter = try await GemmaDrafter(at: Fixtures.demo4.appending(path: "drafter"), for: model)
    let other = try await SessionTests.demo()
    var options = SessionTests.seeded(1, maximum: 40)
    options.speculation = .draft(tokens: 2)
    let drafted = try await GemmaSession(other, drafter: drafter).respond(to: "fox", options: options)
    options.speculation = .off
    #expect(try await GemmaSession(other).respond(to: "fox", options: options).tokens == drafted.tokens)
    #expect(drafted.statistics.speculation.failure?.contains("drafter: ") == true)
  }

  @Test("Greedy loops of the demo are drafted from earlier text, several tokens a round")
  func lookupPays() async throws {
    let options = GenerationOptions(
      sampling: .greedy, maximumResponseTokens: 300, ignoresEndOfTurn: true, speculation: .draft(tokens: 8))
    let response = try await GemmaSession(SessionTests.demo()).respond(to: "Tell me about a fox", options: options)
    let speculation = response.statistics.speculation
    #expect(speculation.acceptedTokens == speculation.sources["prompt_lookup"]?.accepted)
    #expect(speculation.acceptedTokens > speculation.rounds, "more than one right draft a round")
    #expect(speculation.rounds + speculation.acceptedTokens <= 300)
  }

  @Test("An answer that ends inside right drafts is the plain one, with the caches of the plain one")
  func endsInsideDrafts() async throws {
    let model = try await GemmaModel(at: Fixtures.demo)
    let free = GenerationOptions(
      sampling: .greedy, maximumResponseTokens: 60, ignoresEndOfTurn: true, speculation: .off)
    let prompt = try model.render(instructions: nil, prompt: "Tell me about a fox")
    let whole = try await Generator(model, on: TimelineActor(model), options: free).answer(to: prompt) { _ in }
    let text = prompt + whole.tokens
    for end in 20..<32 {
      let piece = try model.tokenizer.decode(Array(whole.tokens[(end - 2)..<end]))
      for (maximum, stop) in [(end, []), (60, [piece])] {
        var options = free
        options.maximumResponseTokens = maximum
        options.stop = stop
        let plainTimeline = TimelineActor(model)
        let plain = try await Generator(model, on: plainTimeline, options: options).answer(to: prompt) { _ in }
        options.speculation = .draft(tokens: 8)
        let timeline = TimelineActor(model) { _, _ in RehearsedDrafts(text, vocabulary: 4096) }
        let drafted = try await Generator(model, on: timeline, options: options).answer(to: prompt) { _ in }
        #expect(drafted.tokens == plain.tokens && drafted.text == plain.text, "\(end) \(stop)")
        #expect(drafted.finishReason == plain.finishReason)
        // Right drafts behind the end do not count.
        let whole = text.prefix(prompt.count + drafted.tokens.count)
        #expect(drafted.rounds.allSatisfy { $0.position + $0.accepted <= whole.count })
        #expect(await timeline.tokens == plainTimeline.tokens)
      }
    }
  }

  @Test("An end of turn inside right drafts ends the answer, and nothing behind it is left")
  func endOfTurn() async throws {
    let model = try await SessionTests.demo()
    let prompt = try model.render(instructions: nil, prompt: "Tell me about a fox")
    let stop = try #require(try model.chatFormat?.endOfTurn(in: model.tokenizer))
    var ended = 0
    for seed in UInt64(1)...12 {
      var options = SessionTests.seeded(seed)
      options.speculation = .off
      let plainTimeline = TimelineActor(model)
      let plain = try await Generator(model, on: plainTimeline, options: options).answer(to: prompt) { _ in }
      let text = prompt + plain.tokens + [stop, 9, 8, 7, 6, 5, 4, 3]
      for length in [3, 8] {
        options.speculation = .draft(tokens: length)
        let timeline = TimelineActor(model) { _, _ in RehearsedDrafts(text, vocabulary: 4096) }
        let drafted = try await Generator(model, on: timeline, options: options).answer(to: prompt) { _ in }
        #expect(drafted.tokens == plain.tokens && drafted.finishReason == plain.finishReason, "seed \(seed)")
        #expect(await timeline.tokens == plainTimeline.tokens)
        let isInside = drafted.rounds.last.map { $0.drafted.prefix($0.accepted).contains(stop) } ?? false
        ended += isInside ? 1 : 0
      }
    }
    #expect(ended > 0, "no answer ended inside drafts")
  }

  @Test("A context that fills up inside a round ends the answer at the plain place")
  func fullContext() async throws {
    let model = try await GemmaModel(at: Fixtures.demo, options: .init(contextLength: 48))
    var options = GenerationOptions(sampling: .greedy, ignoresEndOfTurn: true, speculation: .off)
    let plain = try await GemmaSession(model).respond(to: "fox", options: options)
    for length in 1...8 {
      options.speculation = .draft(tokens: length)
      let drafted = try await GemmaSession(model).respond(to: "fox", options: options)
      #expect(drafted.tokens == plain.tokens && drafted.finishReason == .contextFull)
    }
  }

  @Test("A source that fails is given up, the answer stays, and the statistics say why")
  func failing() async throws {
    let model = try await SessionTests.demo()
    let plain = try await Self.answer(model, Self.options(.off, sampled: false))
    for speculation in [GenerationOptions.Speculation.draft(tokens: 1), .automatic] {
      let drafted = try await Self.answer(model, Self.options(speculation, sampled: false)) { _, _ in FailingSource() }
      #expect(drafted.answer.tokens == plain.answer.tokens)
      #expect(drafted.answer.statistics.speculation.failure?.contains("made up") == true)
    }
    let unmade = try await Self.answer(model, Self.options(.automatic, sampled: false)) { _, _ throws(GemmaError) in
      throw GemmaError.memoryLimitExceeded(limit: 1, required: 2)
    }
    #expect(unmade.answer.tokens == plain.answer.tokens)
    #expect(unmade.answer.statistics.speculation.failure?.contains("memory limit") == true)
  }

  @Test("A second turn reuses the same tokens and gives the same answer with drafts as without")
  func turns() async throws {
    let model = try await SessionTests.demo()
    var results: [[Int]] = []
    var answers: [[TokenID]] = []
    for speculation in [GenerationOptions.Speculation.off, .draft(tokens: 6), .automatic] {
      let session = GemmaSession(model)
      let options = GenerationOptions(sampling: .greedy, maximumResponseTokens: 80, speculation: speculation)
      let first = try await session.respond(to: "Tell me about a fox", options: options)
      let second = try await session.respond(to: "Tell me more", options: options)
      results.append([first, second].map(\.statistics.cachedPromptTokens))
      answers.append(first.tokens + second.tokens)
    }
    #expect(results[0] == results[1] && results[0] == results[2])
    #expect(answers[0] == answers[1] && answers[0] == answers[2])
  }

  @Test("Numbers of drafts that no round takes are refused", arguments: [0, 9, -1, Int.max])
  func badLength(count: Int) async throws {
    let session = GemmaSession(try await SessionTests.demo())
    await #expect(throws: GemmaError.invalidOption("the drafts of a round must be 1 to 8, not \(count)")) {
      try await session.respond(to: "fox", options: GenerationOptions(speculation: .draft(tokens: count)))
    }
  }
}
