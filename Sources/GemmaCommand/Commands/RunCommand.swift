import Foundation
import Gemma
import GemmaDemoModel
import GemmaModels

enum RunCommand: Command {
  static let name = "run"
  static let abstract = "Generates text"
  static let usage = "gemma run [MODEL] [PROMPT] [options]"
  static let remarks = """
    Without MODEL the bundled `demo` answers. A single argument is the model where it names one (a folder, a path, `demo`
    or `demo4`) or where the prompt comes from --file or --token-ids; else it is the prompt. PROMPT - is standard input.
    """
  static let examples = [
    "gemma run demo \"Once upon a time\"",
    "gemma run ~/models/gemma-3n-E2B-it-4bit -f question.txt --max-tokens 200",
    "echo \"Tell me about a fox\" | gemma run demo - --temperature 0.5 --seed 1",
    "gemma run demo --token-ids 2,106 --max-tokens 8 --temperature 0 --format json",
  ]

  struct Options: OptionGroup {
    let file = TextInput.option("the prompt")
    let raw = Flag("raw", "no chat turns around the prompt")
    let tokenIDs = Option(
      "token-ids", .tokens, "IDS", "the whole prompt as ids, such as 2,5,9; needs no tokenizer")
    let system = Option("system", .text, "TEXT", "instructions in front of the conversation")
    let maximumTokens = Option(
      "max-tokens", short: "n", .integer, "N", "the most tokens of the answer (default: until the context is full)")
    let temperature = Option("temperature", .number, "X", "0 is greedy (default: the model's)")
    let topK = Option("top-k", .integer, "N", "only the N likeliest tokens")
    let topP = Option("top-p", .number, "X", "only the likeliest tokens that make up this probability")
    let minP = Option("min-p", .number, "X", "only tokens with this share of the likeliest one's probability")
    let repetitionPenalty = Option(
      "repetition-penalty", .number, "X", "above 1: tokens that occurred become less likely")
    let seed = Option("seed", .natural, "N", "the same seed gives the same text")
    let stop = RepeatedOption("stop", .text, "TEXT", "ends the answer before this text; may be repeated")
    let ignoreEndOfTurn = Flag("ignore-eos", "goes on after the model's end of turn")
    let traceDrafts = Flag("trace-drafts", "adds the rounds of drafts to the JSON")
    let statistics = Flag("stats", "statistics on stderr")
    let drafting = DraftingOptions()
  }

  static func run(_ arguments: Arguments<Options>) async throws {
    try arguments.expectPositionals(atMost: 2)
    let (name, prompt) = try names(arguments)
    let isJSON = try arguments.shared.wantsJSON
    let modelOptions = try arguments.shared.apply()
    let ids = try arguments[\.tokenIDs]
    if ids != nil, prompt != nil || arguments.isGiven(\.file) || arguments.isGiven(\.system) {
      throw UsageError("--token-ids is the whole prompt; leave out text, --file and --system")
    }
    if arguments[\.traceDrafts], !isJSON { throw UsageError("--trace-drafts needs --format json") }
    let text = ids == nil ? try TextInput.read(prompt, file: arguments[\.file]) : ""
    let model = try await ModelArgument.load(name, arguments.shared, options: modelOptions)
    let options = try generation(arguments, model)
    let tokens = try ids ?? encode(text, arguments, model)
    let choice = try arguments[\.drafting][\.drafter]
    let drafter =
      options.speculation == .off ? nil : try await DrafterChoice.drafter(choice, for: model, arguments.shared)
    let timeline = TimelineActor(model, drafter: drafter)
    let generator = try Generator(model, on: timeline, options: options)
    let line = ProgressLine(arguments.shared)
    let answer = try await generator.answer(to: tokens) { done in
      if done < tokens.count {
        line.show("Reading the prompt: \(done) of \(tokens.count) tokens")
      } else {
        line.clear()
      }
    } emit: { piece in
      if !isJSON { Console.output(piece) }
    }
    if isJSON {
      try Console.output(
        json: Report(
          promptTokenIds: tokens, tokenIds: answer.tokens, text: answer.text,
          finishReason: answer.finishReason.rawValue, statistics: StatisticsReport(answer.statistics),
          rounds: arguments[\.traceDrafts] ? answer.rounds.compactMap(RoundReport.init) : nil))
    } else if !model.info.hasTokenizer {
      Console.output(answer.tokens.map(String.init).joined(separator: ",") + "\n")
    } else if !answer.text.hasSuffix("\n") {
      Console.output("\n")
    }
    let showsStatistics = arguments.shared[\.verbose] || arguments[\.statistics]
    if let failure = answer.statistics.speculation.failure, !showsStatistics, !arguments.shared[\.quiet] {
      Console.error("gemma run: drafting failed, and the answer went on without: \(failure)")
    }
    if showsStatistics { Console.error(StatisticsReport(answer.statistics).summary) }
  }

  private struct Report: Encodable {
    var promptTokenIds: [TokenID]
    var tokenIds: [TokenID]
    var text: String
    var finishReason: String
    var statistics: StatisticsReport
    var rounds: [RoundReport]?
  }

  private struct RoundReport: Encodable {
    var position: Int
    var source: String
    var drafted: [TokenID]
    var accepted: Int

    init?(_ round: DraftedRound) {
      guard let source = round.source else { return nil }
      self.source = source.rawValue
      position = round.position
      drafted = round.drafted
      accepted = round.accepted
    }
  }

  /// A single argument is the model when the prompt comes from elsewhere, or when it names one; else it is a prompt for
  /// the demo model.
  private static func names(_ arguments: Arguments<Options>) throws -> (model: String, prompt: String?) {
    let given = arguments.positionals
    if given.count == 2 { return (given[0], given[1]) }
    let isPromptElsewhere = arguments.isGiven(\.file) || arguments.isGiven(\.tokenIDs)
    guard let only = given.first else {
      guard isPromptElsewhere else { throw UsageError("the prompt is missing") }
      return ("demo", nil)
    }
    let isModel =
      DemoModel(rawValue: only) != nil || only.hasSuffix(".gguf") || FileManager.default.fileExists(atPath: only)
      || (only.contains("/") && !only.contains(" "))
    return isPromptElsewhere || isModel ? (only, nil) : ("demo", only)
  }

  private static func encode(_ text: String, _ arguments: Arguments<Options>, _ model: GemmaModel) throws -> [TokenID] {
    if arguments[\.raw] {
      if arguments.isGiven(\.system) { throw UsageError("--raw has no turns, so there is no place for --system") }
      let tokenizer = try model.tokenizer
      return [tokenizer.beginOfSequence] + tokenizer.encode(text)
    }
    return try model.render(instructions: arguments[\.system], prompt: text)
  }

  private static func generation(_ arguments: Arguments<Options>, _ model: GemmaModel) throws -> GenerationOptions {
    var options = GenerationOptions()
    options.maximumResponseTokens = try arguments[\.maximumTokens]
    options.stop = try arguments[\.stop]
    options.repetitionPenalty = try arguments[\.repetitionPenalty] ?? 1
    options.ignoresEndOfTurn = arguments[\.ignoreEndOfTurn]
    options.speculation = try arguments[\.drafting][\.speculation] ?? .automatic
    let seed = try arguments[\.seed]
    options.sampling = .recommended(seed: seed)
    let temperature = try arguments[\.temperature]
    let (topK, topP, minP) = (
      try arguments[\.topK], try arguments[\.topP], try arguments[\.minP]
    )
    if temperature != nil || topK != nil || topP != nil || minP != nil {
      let defaults = model.recommendedSampling
      options.sampling = .random(
        temperature: temperature ?? defaults.temperature, topK: topK ?? defaults.topK, topP: topP ?? defaults.topP,
        minP: minP, seed: seed)
    }
    try options.validate()
    return options
  }
}
