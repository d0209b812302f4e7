import Foundation
import Gemma
import GemmaKernels
import Synchronization

enum ScoreCommand: Command {
  static let name = "score"
  static let abstract = "Log-probabilities of a text"
  static let usage = "gemma score MODEL [TEXT] [options]"
  static let examples = [
    "gemma score demo \"Once upon a time there was a king.\"",
    "gemma score demo \"Once upon a\" --continuation \" time\" --format json",
    "gemma score demo --token-ids 2,106,105 --top 5 --format json",
  ]

  struct Options: OptionGroup {
    let file = TextInput.option("the text")
    let tokenIDs = Option("token-ids", .tokens, "IDS", "scores ids, such as 2,5,9; needs no tokenizer")
    let continuation = Option(
      "continuation", .text, "TEXT|IDS", "scores only this, behind the text (ids with --token-ids)")
    let top = Option("top", .integer, "K", "also the K likeliest tokens after each position")
  }

  struct Candidate: Encodable, Sendable {
    var id: TokenID
    var logprob: Float
  }

  private struct Report: Encodable {
    var tokenIds: [TokenID]
    var logprobs: [Float?]
    var top: [[Candidate]]?
    var perplexity: Double?

    /// Keys are there in any case, with null where there is no value.
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(tokenIds, forKey: .tokenIds)
      try container.encode(logprobs, forKey: .logprobs)
      try container.encode(top, forKey: .top)
      try container.encode(perplexity, forKey: .perplexity)
    }

    private enum CodingKeys: CodingKey { case tokenIds, logprobs, top, perplexity }
  }

  /// Candidates that are kept: their JSON takes some hundred bytes each while it is written.
  private static let mostCandidates = 1 << 22

  private struct Row: Sendable {
    /// Of the token that follows; nil after the last one.
    var next: Float?
    var top: [Candidate]
  }

  static func run(_ arguments: Arguments<Options>) async throws {
    try arguments.expectPositionals(atMost: 2)
    let isJSON = try arguments.shared.wantsJSON
    let top = try arguments[\.top] ?? 0
    guard top >= 0 else { throw UsageError("--top needs a number from 0, not \(top)") }
    let name = try arguments.positional(0, "the model")
    let model = try await ModelArgument.load(name, arguments.shared)
    let (tokens, firstScored) = try input(arguments, model)
    guard top <= model.info.vocabularySize else {
      throw GemmaError.invalidOption("--top \(top) is more than the vocabulary's \(model.info.vocabularySize) pieces")
    }
    guard top <= mostCandidates / max(tokens.count, 1) else {
      throw GemmaError.invalidOption(
        "--top \(top) for \(tokens.count) tokens is more than \(mostCandidates) candidates; lower it or shorten the text"
      )
    }

    let rows = Mutex<[Row]>([])
    let timeline = TimelineActor(model)
    let line = ProgressLine(arguments.shared)
    let start = ContinuousClock.now
    try await timeline.append(tokens) { index, logits in
      let row = try score(logits, next: tokens.indices.contains(index + 1) ? tokens[index + 1] : nil, top: top)
      rows.withLock { $0.append(row) }
      if index % 64 == 0 { line.show("Scoring: \(index) of \(tokens.count) tokens") }
    }
    line.clear()
    var statistics = Statistics(of: model)
    statistics.promptTokens = tokens.count
    statistics.prefillTime = ContinuousClock.now - start
    let scored = rows.withLock { $0 }
    let logprobs = tokens.indices.map { $0 < max(firstScored, 1) ? nil : scored[$0 - 1].next }
    let known = logprobs.compactMap { $0.map(Double.init) }
    let mean = known.reduce(0, +) / Double(max(known.count, 1))
    let perplexity = known.isEmpty || !exp(-mean).isFinite ? nil : exp(-mean)
    if isJSON {
      try Console.output(
        json: Report(
          tokenIds: tokens, logprobs: logprobs, top: top > 0 ? scored.map(\.top) : nil, perplexity: perplexity))
    } else {
      let tokenizer = model.info.hasTokenizer ? try model.tokenizer : nil
      for (token, logprob) in zip(tokens, logprobs) {
        let piece = tokenizer.map { "\t\($0.piece(of: token) ?? "")" } ?? ""
        Console.output("\(token)\t\(logprob.map { String(format: "%.4f", $0) } ?? "-")\(piece)\n")
      }
      if let perplexity { Console.output("perplexity\t\(String(format: "%.4f", perplexity))\n") }
    }
    if arguments.shared[\.verbose] {
      let speed = String(format: "%.0f", statistics.prefillTokensPerSecond)
      Console.error("scored \(tokens.count) tokens (\(speed) per second)\n\(StatisticsReport(statistics).engine)")
    }
  }

  /// The tokens, and the index of the first one whose probability is asked for.
  private static func input(_ arguments: Arguments<Options>, _ model: GemmaModel) throws -> ([TokenID], Int) {
    let continuation = try arguments[\.continuation]
    if let tokens = try arguments[\.tokenIDs] {
      guard arguments.positionals.count < 2, !arguments.isGiven(\.file) else {
        throw UsageError("give a text or --token-ids, not both")
      }
      guard let continuation else { return (tokens, 0) }
      let rest = try OptionValue.tokens.read(continuation, "continuation")
      return (tokens + rest, tokens.count)
    }
    let text = try TextInput.read(arguments.positionals.dropFirst().first, file: arguments[\.file])
    let tokenizer = try model.tokenizer
    let tokens = [tokenizer.beginOfSequence] + tokenizer.encode(text)
    guard let continuation else { return (tokens, 0) }
    guard !continuation.isEmpty else { throw UsageError("--continuation is empty") }
    return (tokens + tokenizer.encode(continuation), tokens.count)
  }

  private static func score(_ logits: UnsafeBufferPointer<Float>, next: TokenID?, top: Int) throws -> Row {
    guard let base = logits.baseAddress else { throw GemmaError.degenerateOutput(reason: "there are no logits") }
    let total = ck_log_sum_exp(base, logits.count)
    guard total.isFinite else { throw GemmaError.degenerateOutput(reason: "the logits are not numbers") }
    var ids = [TokenID](repeating: 0, count: top)
    var values = [Float](repeating: 0, count: top)
    let found = top == 0 ? 0 : ck_top_k(&ids, &values, top, base, logits.count)
    return Row(
      next: next.flatMap { logits.indices.contains(Int($0)) ? logits[Int($0)] - total : nil },
      top: (0..<found).map { Candidate(id: ids[$0], logprob: values[$0] - total) })
  }
}
