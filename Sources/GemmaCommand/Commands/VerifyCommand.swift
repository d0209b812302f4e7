import Gemma

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

  private struct Verdict: Encodable {
    var kernels: String
    var threads: Int
    var prefillChunk: Int
    var tokenIds: [TokenID]
    var logitsDigest: String
    var draftedTokens: Int
    var isIdentical: Bool

    init(_ verdict: Verification.Verdict) {
      kernels = verdict.kernels
      threads = verdict.threads
      prefillChunk = verdict.prefillChunk
      tokenIds = verdict.tokens
      logitsDigest = verdict.logitsDigest
      draftedTokens = verdict.draftedTokens
      isIdentical = verdict.isIdentical
    }
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
    let drafter = try await DrafterChoice.drafter(arguments[\.drafter], for: model, arguments.shared)
    let settings = Verification.Options(
      promptTokens: promptCount, responseTokens: responseCount,
      kernels: arguments.shared.isGiven(\.kernels) ? [Kernels.current] : nil)
    let verification = try await verify(model, settings, drafter) { verdict in
      guard !isJSON else { return }
      Console.output(
        "\(verdict.kernels)\t\(verdict.threads) threads\tchunk \(verdict.prefillChunk)\t\(verdict.logitsDigest)\t"
          + "\(verdict.isIdentical ? "same" : "DIFFERENT")\n")
    }
    if isJSON {
      try Console.output(
        json: Report(isIdentical: verification.isIdentical, verdicts: verification.verdicts.map(Verdict.init)))
    }
    guard verification.isIdentical else {
      throw CommandFailure(code: .failure, message: "the bits differ; please report this with the model's name")
    }
  }

  private static func verify(
    _ model: GemmaModel, _ settings: Verification.Options, _ drafter: GemmaDrafter?,
    progress: @escaping @Sendable (Verification.Verdict) -> Void
  ) async throws -> Verification {
    do {
      return try await model.verify(settings, drafter: drafter, progress: progress)
    } catch GemmaError.draftingFailed(let reason) {
      throw CommandFailure(code: .failure, message: "drafting failed: \(reason)")
    }
  }
}
