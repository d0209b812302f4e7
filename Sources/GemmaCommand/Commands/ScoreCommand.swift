import Foundation
import Gemma

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

  private struct Candidate: Encodable {
    var id: TokenID
    var logprob: Float
  }

  private struct Report: Encodable {
    var tokenIds: [TokenID]
    var logprobs: [Float?]
    var top: [[Candidate]]?
    var perplexity: Double?

    init(_ scores: Scores, withTop: Bool) {
      tokenIds = scores.tokens
      logprobs = scores.logProbabilities
      top = withTop ? scores.top.map { $0.map { Candidate(id: $0.token, logprob: $0.logProbability) } } : nil
      perplexity = scores.perplexity
    }

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

  static func run(_ arguments: Arguments<Options>) async throws {
    try arguments.expectPositionals(atMost: 2)
    let isJSON = try arguments.shared.wantsJSON
    let top = try arguments[\.top] ?? 0
    guard top >= 0 else { throw UsageError("--top needs a number from 0, not \(top)") }
    let name = try arguments.positional(0, "the model")
    let model = try await ModelArgument.load(name, arguments.shared)
    let (tokens, firstScored) = try input(arguments, model)
    try check(top, tokens.count, model)
    let line = ProgressLine(arguments.shared)
    defer { line.clear() }
    let scores = try await model.score(tokens, from: firstScored, top: top) { done in
      if done % 64 == 1 { line.show("Scoring: \(done) of \(tokens.count) tokens") }
    }
    line.clear()
    if isJSON {
      try Console.output(json: Report(scores, withTop: top > 0))
    } else {
      try printLines(scores, model)
    }
    if arguments.shared[\.verbose] {
      let speed = String(format: "%.0f", scores.statistics.prefillTokensPerSecond)
      Console.error(
        "scored \(tokens.count) tokens (\(speed) per second)\n\(StatisticsReport(scores.statistics).engine)")
    }
  }

  /// What the library would refuse too, in the words of the command line.
  private static func check(_ top: Int, _ count: Int, _ model: GemmaModel) throws(GemmaError) {
    guard top <= model.info.vocabularySize else {
      throw .invalidOption("--top \(top) is more than the vocabulary's \(model.info.vocabularySize) pieces")
    }
    guard top <= Scores.maximumCandidates / max(count, 1) else {
      throw .invalidOption(
        "--top \(top) for \(count) tokens is more than \(Scores.maximumCandidates) candidates; lower it or "
          + "shorten the text")
    }
  }

  private static func printLines(_ scores: Scores, _ model: GemmaModel) throws {
    let tokenizer = model.info.hasTokenizer ? try model.tokenizer : nil
    for (token, logprob) in zip(scores.tokens, scores.logProbabilities) {
      let piece = tokenizer.map { "\t\($0.piece(of: token) ?? "")" } ?? ""
      Console.output("\(token)\t\(logprob.map { String(format: "%.4f", $0) } ?? "-")\(piece)\n")
    }
    if let perplexity = scores.perplexity { Console.output("perplexity\t\(String(format: "%.4f", perplexity))\n") }
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
}
