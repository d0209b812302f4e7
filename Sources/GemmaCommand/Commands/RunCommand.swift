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
  static let options =
    [
      OptionSpec("file", short: "f", value: "FILE", "reads the prompt from a file (UTF-8)"),
      OptionSpec("raw", "no chat turns around the prompt"),
      OptionSpec("token-ids", value: "IDS", "the whole prompt as ids, such as 2,5,9; needs no tokenizer"),
      OptionSpec("system", value: "TEXT", "instructions in front of the conversation"),
      OptionSpec(
        "max-tokens", short: "n", value: "N", "the most tokens of the answer (default: until the context is full)"),
      OptionSpec("temperature", value: "X", "0 is greedy (default: the model's)"),
      OptionSpec("top-k", value: "N", "only the N likeliest tokens"),
      OptionSpec("top-p", value: "X", "only the likeliest tokens that make up this probability"),
      OptionSpec("min-p", value: "X", "only tokens with this share of the likeliest one's probability"),
      OptionSpec("repetition-penalty", value: "X", "above 1: tokens that occurred become less likely"),
      OptionSpec("seed", value: "N", "the same seed gives the same text"),
      OptionSpec("stop", value: "TEXT", repeats: true, "ends the answer before this text; may be repeated"),
      OptionSpec("ignore-eos", "goes on after the model's end of turn"),
      OptionSpec("trace-drafts", "adds the rounds of drafts to the JSON"),
      OptionSpec("stats", "statistics on stderr"),
    ] + SpeculationOptions.specs

  static func run(_ arguments: Arguments) async throws {
    try arguments.expectPositionals(atMost: 2)
    let (name, prompt) = try names(arguments)
    let isJSON = try SharedOptions.wantsJSON(arguments)
    let modelOptions = try SharedOptions.apply(arguments)
    let ids = try arguments.integers("token-ids").map { try TextInput.tokens($0, of: "token-ids") }
    if ids != nil, prompt != nil || arguments.has("file") || arguments.has("system") {
      throw UsageError("--token-ids is the whole prompt; leave out text, --file and --system")
    }
    if arguments.has("trace-drafts"), !isJSON { throw UsageError("--trace-drafts needs --format json") }
    let text = ids == nil ? try TextInput.read(prompt, arguments) : ""
    let model = try await SharedOptions.load(name, arguments, options: modelOptions)
    let options = try generation(arguments, model)
    let tokens = try ids ?? encode(text, arguments, model)
    let drafter = try await SpeculationOptions.drafter(arguments, model)
    let timeline = TimelineActor(model, drafter: drafter)
    let generator = try Generator(model, on: timeline, options: options)
    let line = ProgressLine(arguments)
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
          rounds: arguments.has("trace-drafts") ? answer.rounds.compactMap(RoundReport.init) : nil))
    } else if !model.info.hasTokenizer {
      Console.output(answer.tokens.map(String.init).joined(separator: ",") + "\n")
    } else if !answer.text.hasSuffix("\n") {
      Console.output("\n")
    }
    let showsStatistics = arguments.has("verbose") || arguments.has("stats")
    if let failure = answer.statistics.speculation.failure, !showsStatistics, !arguments.has("quiet") {
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
  private static func names(_ arguments: Arguments) throws -> (model: String, prompt: String?) {
    let given = arguments.positionals
    if given.count == 2 { return (given[0], given[1]) }
    let isPromptElsewhere = arguments.has("file") || arguments.has("token-ids")
    guard let only = given.first else {
      guard isPromptElsewhere else { throw UsageError("the prompt is missing") }
      return ("demo", nil)
    }
    let isModel =
      DemoModel(rawValue: only) != nil || only.hasSuffix(".gguf") || FileManager.default.fileExists(atPath: only)
      || (only.contains("/") && !only.contains(" "))
    return isPromptElsewhere || isModel ? (only, nil) : ("demo", only)
  }

  private static func encode(_ text: String, _ arguments: Arguments, _ model: GemmaModel) throws -> [TokenID] {
    if arguments.has("raw") {
      if arguments.has("system") { throw UsageError("--raw has no turns, so there is no place for --system") }
      let tokenizer = try model.tokenizer
      return [tokenizer.beginOfSequence] + tokenizer.encode(text)
    }
    return try model.render(instructions: arguments.string("system"), prompt: text)
  }

  private static func generation(_ arguments: Arguments, _ model: GemmaModel) throws -> GenerationOptions {
    var options = GenerationOptions()
    options.maximumResponseTokens = try arguments.integer("max-tokens")
    options.stop = arguments.strings("stop")
    options.repetitionPenalty = try arguments.number("repetition-penalty") ?? 1
    options.ignoresEndOfTurn = arguments.has("ignore-eos")
    options.speculation = try SpeculationOptions.speculation(arguments) ?? .automatic
    var seed: UInt64?
    if let text = arguments.string("seed") {
      guard let number = UInt64(text) else { throw UsageError("--seed needs a whole number from 0, not \"\(text)\"") }
      seed = number
    }
    options.sampling = .recommended(seed: seed)
    let temperature = try arguments.number("temperature")
    let (topK, topP, minP) = (
      try arguments.integer("top-k"), try arguments.number("top-p"), try arguments.number("min-p")
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
