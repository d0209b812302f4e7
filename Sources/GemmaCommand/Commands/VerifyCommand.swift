import Foundation
import Gemma
import GemmaModels
import Synchronization

enum VerifyCommand: Command {
  static let name = "verify"
  static let abstract = "Compares all kernel levels, thread counts, chunk sizes and drafts bit for bit"
  static let usage = "gemma verify MODEL [options]"
  static let remarks = "Runs 1 thread, 2 and --threads, and every kernel level unless --kernels names one."
  static let examples = ["gemma verify demo", "gemma verify demo --prompt-tokens 300 --format json"]

  struct Options: OptionGroup {
    let promptTokens = Option("prompt-tokens", .integer, "N", "length of the prompt (default: 192)")
    let responseTokens = Option("response-tokens", .integer, "N", "greedy tokens behind it (default: 16)")
    let drafter = DrafterChoice.option
  }

  struct Verdict: Encodable, Sendable {
    var kernels: String
    var threads: Int
    var prefillChunk: Int
    var tokenIds: [TokenID]
    var logitsDigest: String
    /// Made up from the answer, and by the drafter if there is one.
    var draftedTokens: Int
    var isIdentical: Bool
  }

  private struct Report: Encodable {
    var isIdentical: Bool
    var verdicts: [Verdict]
  }

  static func run(_ arguments: Arguments<Options>) async throws {
    try arguments.expectPositionals(atMost: 1)
    let isJSON = try arguments.shared.wantsJSON
    let name = try arguments.positional(0, "the model")
    var options = try arguments.shared.apply()
    let promptCount = try arguments[\.promptTokens] ?? 192
    let responseCount = try arguments[\.responseTokens] ?? 16
    guard promptCount >= 1, responseCount >= 1, promptCount <= 1 << 20, responseCount <= 1 << 20 else {
      throw UsageError("--prompt-tokens and --response-tokens need numbers from 1")
    }
    options.reproducible = true
    options.contextLength = promptCount + responseCount
    let model = try await ModelArgument.load(name, arguments.shared, options: options)
    let prompt = FixedPrompt.tokens(promptCount, vocabulary: model.info.vocabularySize)
    let drafter = try await DrafterChoice.drafter(arguments[\.drafter], for: model, arguments.shared)

    let counts = Set([1, 2, options.compute.threads]).sorted()
    let before = Kernels.current
    var verdicts: [Verdict] = []
    for kernels in arguments.shared.isGiven(\.kernels) ? [before] : Kernels.available {
      try Kernels.select(kernels)
      for threads in counts {
        for chunk in Set([1, 7, 64, promptCount]).sorted() {
          options.threads = threads
          options.prefillChunk = chunk
          let (digest, ids) = try await observe(model, options, prompt, responseCount)
          var isSame = verdicts.first.map { $0.logitsDigest == digest && $0.tokenIds == ids } ?? true
          var drafted = 0
          for makeDrafts in sources(prompt + ids, model, drafter) {
            let (found, count) = try await answer(model, options, prompt, ids.count, makeDrafts)
            isSame = isSame && found == ids
            drafted += count
          }
          verdicts.append(
            Verdict(
              kernels: kernels, threads: threads, prefillChunk: chunk, tokenIds: ids, logitsDigest: digest,
              draftedTokens: drafted, isIdentical: isSame))
          if !isJSON {
            Console.output(
              "\(kernels)\t\(threads) threads\tchunk \(chunk)\t\(digest)\t\(isSame ? "same" : "DIFFERENT")\n")
          }
        }
      }
    }
    try Kernels.select(before)
    let isIdentical = verdicts.allSatisfy(\.isIdentical)
    if isJSON { try Console.output(json: Report(isIdentical: isIdentical, verdicts: verdicts)) }
    guard isIdentical else {
      throw CommandFailure(code: .failure, message: "the bits differ; please report this with the model's name")
    }
  }

  /// A digest of the logits' bits and the greedy ids: once with the logits of each prompt token, once as in `run`,
  /// where layers without caches of their own skip all but the last token.
  private static func observe(
    _ model: GemmaModel, _ options: GemmaModel.Options, _ prompt: [TokenID], _ responseCount: Int
  ) async throws -> (digest: String, ids: [TokenID]) {
    let digest = Mutex(BitDigest())
    try await TimelineActor(model, options: options).append(prompt) { _, logits in
      digest.withLock { $0.add(logits) }
    }
    let timeline = TimelineActor(model, options: options)
    _ = try await timeline.sync(to: prompt)
    var ids: [TokenID] = []
    while true {
      try await timeline.withLogits { logits in digest.withLock { $0.add(logits) } }
      let token = try await timeline.sample(Sampler(draw: nil))
      ids.append(token)
      if ids.count == responseCount { break }
      try Task.checkCancellation()
      try await timeline.append([token])
    }
    return (digest.withLock { $0.text }, ids)
  }

  /// Right and wrong guesses made up from the text, and those of the drafter.
  private static func sources(
    _ text: [TokenID], _ model: GemmaModel, _ drafter: GemmaDrafter?
  ) -> [MakeDraftSource] {
    let vocabulary = model.info.vocabularySize
    let rehearsed: MakeDraftSource = { _, _ in RehearsedDrafts(text, vocabulary: vocabulary) }
    return [rehearsed] + (drafter.map { [$0.makeDrafts] } ?? [])
  }

  /// The greedy ids with drafts, one more in every round, and how many were drafted.
  private static func answer(
    _ model: GemmaModel, _ options: GemmaModel.Options, _ prompt: [TokenID], _ count: Int,
    _ makeDrafts: @escaping MakeDraftSource
  ) async throws -> (ids: [TokenID], drafted: Int) {
    let stop = StopSignal()
    return try await withTaskCancellationHandler {
      try await answer(model, options, prompt, count, makeDrafts, stop)
    } onCancel: {
      stop.raise()
    }
  }

  private static func answer(
    _ model: GemmaModel, _ options: GemmaModel.Options, _ prompt: [TokenID], _ count: Int,
    _ makeDrafts: @escaping MakeDraftSource, _ stop: StopSignal
  ) async throws -> (ids: [TokenID], drafted: Int) {
    let timeline = TimelineActor(model, options: options, makeDrafts: makeDrafts)
    _ = try await timeline.sync(to: prompt)
    var (ids, drafted) = ([try await timeline.sample(Sampler(draw: nil))], 0)
    while ids.count < count {
      let round = try await timeline.round(
        Sampler(draw: nil), after: ids[ids.count - 1],
        speculation: .draft(tokens: 1 + ids.count % DraftedRound.longestDraft), limit: count - ids.count,
        stop: stop)
      if let failure = round.failure {
        throw CommandFailure(code: .failure, message: "drafting failed: \(failure)")
      }
      ids += round.next
      drafted += round.drafted.count
    }
    return (ids, drafted)
  }
}

/// FNV-1a over the bits of floats, four bytes at a time.
struct BitDigest: Sendable {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ values: UnsafeBufferPointer<Float>) {
    for value in values { state = (state ^ UInt64(value.bitPattern)) &* 0x100_0000_01B3 }
  }

  var text: String { String(state, radix: 16) }
}

/// A prompt that is the same on every machine and touches all parts of the vocabulary.
enum FixedPrompt {
  static func tokens(_ count: Int, vocabulary: Int) -> [TokenID] {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    return (0..<count).map { index in
      guard index > 0 else { return TokenID(min(2, vocabulary - 1)) }
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return TokenID(truncatingIfNeeded: (state >> 33) % UInt64(vocabulary))
    }
  }
}
