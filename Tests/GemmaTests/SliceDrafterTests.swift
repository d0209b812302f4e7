import Foundation
import Gemma
import GemmaKernels
import GemmaModels
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

/// Serialised: one of the tests switches the kernels' level, which holds for the whole process.
@Suite("Drafting with a model's own slice", .serialized)
struct SliceDrafterTests {
  private static let prompt = (0..<30).map { TokenID(4 + $0 * 7919 % 40) }

  private static func options(
    _ speculation: GenerationOptions.Speculation, sampled: Bool, count: Int = 40
  ) -> GenerationOptions {
    DraftedAnswer.options(speculation, sampled: sampled, count: count, temperature: 1.2, seed: 3)
  }

  private static func answer(
    _ model: GemmaModel, _ options: GenerationOptions, drafting slice: GemmaModel? = nil
  ) async throws -> DraftedAnswer {
    var makeDrafts: MakeDraftSource?
    if let small = slice?.loaded {
      makeDrafts = { (timeline, _) throws(GemmaError) in try SliceDrafter(small, for: timeline) }
    }
    return try await DraftedAnswer(model, prompt, options, makeDrafts: makeDrafts)
  }

  /// Lacks layers with caches of their own, which no other layer reads.
  private static let few = MatFormerSlice(name: "few", feedForwardWidths: nil, skippedLayers: [3, 9, 24])

  @Test(
    "Drafts of every length leave ids and caches as plain decoding does, beyond the window",
    arguments: [
      ("gemma3n-q4-g32", .bf16, .e2b, 1...8), ("gemma3n-q4-g32", .bf16, few, 5...5),
      ("gemma3n-q4-g32", .int8, .e2b, 8...8), ("gemma3n-bf16", .bf16, .e2b, 7...7),
    ] as [(String, GemmaModel.Options.KeyValueCache, MatFormerSlice, ClosedRange<Int>)])
  func noTrace(name: String, cache: GemmaModel.Options.KeyValueCache, slice: MatFormerSlice, lengths: ClosedRange<Int>)
    async throws
  {
    let model = try await GemmaModel(
      at: Fixtures.slice(name),
      options: .init(contextLength: 80, threads: 2, keyValueCache: cache, reproducible: true, prefillChunk: 7))
    let small = try model.sliced(to: slice)
    for sampled in [false, true] {
      let plain = try await Self.answer(model, Self.options(.off, sampled: sampled))
      #expect(plain.answer.tokens.count == 40)
      for length in lengths {
        let drafted = try await Self.answer(
          model, Self.options(.draft(tokens: length), sampled: sampled), drafting: small)
        #expect(drafted.answer.tokens == plain.answer.tokens, "\(length) drafts")
        #expect(drafted.tokens == plain.tokens && drafted.bits == plain.bits, "\(length) drafts")
        let counts = try #require(drafted.answer.statistics.speculation.sources["slice"])
        #expect(counts.drafted >= 20 * length / (length + 1))
      }
    }
  }

  @Test("The whole model as its own slice guesses all that it will say, on every kernel level")
  func whole() async throws {
    let model = try await GemmaModel(at: Fixtures.slice("gemma3n-q4-g32"), options: .init(contextLength: 100))
    let before = Kernels.current
    defer { #expect(ck_level_select(before)) }
    let plain = try await Self.answer(model, Self.options(.off, sampled: false))
    for level in Kernels.available {
      try Kernels.select(level)
      let drafted = try await Self.answer(model, Self.options(.draft(tokens: 5), sampled: false), drafting: model)
      #expect(drafted.answer.tokens == plain.answer.tokens && drafted.bits == plain.bits, "\(level)")
      let speculation = drafted.answer.statistics.speculation
      #expect(speculation.draftedTokens == speculation.acceptedTokens && speculation.acceptedTokens > 25, "\(level)")
    }
  }

  @Test("Half of the demo's feed-forward layers guess most of what the whole says, with the plain answers")
  func demo() async throws {
    let model = try await SessionTests.demo()
    let half = try GemmaDrafter(slicing: model, to: .half)
    #expect(half.mappedBytes == 0 && half.workspaceBytes(contextLength: 4096) < 1 << 20)
    let prompt = try model.render(instructions: nil, prompt: "Tell me about a fox")
    for sampling in [GenerationOptions.Sampling.greedy, .random(temperature: 0.7, seed: 3)] {
      var options = GenerationOptions(sampling: sampling, maximumResponseTokens: 120, speculation: .off)
      let plain = try await Generator(model, on: TimelineActor(model), options: options).answer(to: prompt) { _ in }
      for speculation in [GenerationOptions.Speculation.draft(tokens: 1), .automatic] {
        options.speculation = speculation
        let timeline = TimelineActor(model, makeDrafts: half.makeDrafts)
        let drafted = try await Generator(model, on: timeline, options: options).answer(to: prompt) { _ in }
        #expect(drafted.tokens == plain.tokens)
        guard case .draft = speculation else { continue }
        let counts = try #require(drafted.statistics.speculation.sources["slice"])
        #expect(counts.drafted > 40 && Double(counts.accepted) > 0.7 * Double(counts.drafted))
      }
    }
  }

  @Test("Slices of other files, or with caches that the model lacks, are refused with the layer")
  func refused() async throws {
    let folder = Fixtures.slice("gemma3n-q4-g32")
    let model = try await GemmaModel(at: folder)
    let foreign = try await GemmaModel(at: folder, options: .init(slice: .e2b))
    let lacking = try model.sliced(to: MatFormerSlice(name: "few", feedForwardWidths: nil, skippedLayers: [3]))
    #expect(throws: Never.self) { try SliceDrafter.checkFit(lacking.loaded, for: model.loaded) }
    for (slice, target, layer) in [(foreign, model, nil), (model, lacking, 3)] as [(GemmaModel, GemmaModel, Int?)] {
      let error = #expect(throws: GemmaError.self) { try SliceDrafter.checkFit(slice.loaded, for: target.loaded) }
      guard case .unsupportedSlice(slice.info.slice, layer, _) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      // In a session the answer stays, and the statistics say why there are no drafts.
      let plain = try await Self.answer(target, Self.options(.off, sampled: false, count: 8))
      let drafted = try await Self.answer(
        target, Self.options(.draft(tokens: 2), sampled: false, count: 8), drafting: slice)
      #expect(drafted.answer.tokens == plain.answer.tokens && drafted.bits == plain.bits)
      #expect(drafted.answer.statistics.speculation.failure?.isEmpty == false)
    }
  }

  @Test("A cancelled draft stops, and the timeline goes on as if there had been none")
  func cancelled() throws {
    let model = try LoadedModel(Checkpoint(at: Fixtures.slice("gemma3n-q4-g32")))
    let small = try LoadedModel(model.checkpoint, slice: .e2b)
    let ids = Self.prompt
    let bits = try [false, true].map { drafts in
      let timeline = try Timeline(model, contextLength: 40, options: ComputeOptions(threads: 2))
      try timeline.append(ids)
      if drafts {
        let source = try SliceDrafter(small, for: timeline)
        let stop = StopSignal()
        #expect(try source.draft(DraftRequest(8, after: 5, on: timeline, stop: stop)).count == 8)
        stop.raise()
        #expect(throws: CancellationError.self) { try source.draft(DraftRequest(3, after: 5, on: timeline, stop: stop)) }
        #expect(timeline.tokens == ids)
        // Two places are left in the context.
        try timeline.append([5, 6, 7, 8, 9, 10, 11, 12])
        #expect(try source.draft(DraftRequest(8, after: 5, on: timeline)).count == 2)
        #expect(timeline.rewind(to: ids.count) == ids.count)
      }
      try timeline.append([9, 10, 11])
      return timeline.logits.map(\.bitPattern)
    }
    #expect(bits[0] == bits[1])
  }
}
