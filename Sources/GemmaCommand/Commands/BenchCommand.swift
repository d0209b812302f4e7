import Foundation
import Gemma

enum BenchCommand: Command {
  static let name = "bench"
  static let abstract = "Measures prefill and decode speed, first-token time and memory"
  static let usage = "gemma bench MODEL [options]"
  static let examples = [
    "gemma bench demo", "gemma bench demo --prompt-tokens 128,1024 --response-tokens 32 --format json",
  ]
  static let options =
    [
      OptionSpec("prompt-tokens", value: "LIST", "prompt lengths (default: 128,512)"),
      OptionSpec("response-tokens", value: "N", "tokens generated behind each, from 2 (default: 64)"),
      OptionSpec("repetitions", value: "N", "runs of each; the median counts (default: 3)"),
    ] + SpeculationOptions.specs

  struct Figures: Encodable, Sendable {
    var promptTokens: Int
    var responseTokens: Int
    var prefillTokensPerSecond: Double
    var decodeTokensPerSecond: Double
    var timeToFirstTokenSeconds: Double
    var peakPoolBytes: Int
    var draftedTokens: Int
    var acceptedTokens: Int
    var draftFailure: String?
  }

  private struct Report: Encodable {
    var loadSeconds: Double
    var mappedBytes: Int
    var threads: Int
    var kernels: String
    var figures: [Figures]
  }

  static func run(_ arguments: Arguments) async throws {
    try arguments.expectPositionals(atMost: 1)
    let isJSON = try SharedOptions.wantsJSON(arguments)
    let name = try arguments.positional(0, "the model")
    let lengths = try arguments.integers("prompt-tokens") ?? [128, 512]
    let responses = try arguments.integer("response-tokens") ?? 64
    let repetitions = try arguments.integer("repetitions") ?? 3
    guard let longest = lengths.max(), lengths.allSatisfy({ (1...1 << 22).contains($0) }),
      (2...1 << 22).contains(responses), (1...10_000).contains(repetitions)
    else {
      throw UsageError("--prompt-tokens and --repetitions need numbers from 1, --response-tokens from 2")
    }
    var options = try SharedOptions.apply(arguments)
    options.contextLength = options.contextLength ?? longest + responses
    let model = try await SharedOptions.load(name, arguments, options: options)
    // Random prompts and weights end in loops, which earlier text foretells: without a wish nothing is drafted.
    let speculation = try SpeculationOptions.speculation(arguments) ?? (arguments.has("drafter") ? .automatic : .off)
    let drafter = speculation == .off ? nil : try await SpeculationOptions.drafter(arguments, model)
    let line = ProgressLine(arguments)
    var figures: [Figures] = []
    var last = Statistics()
    for length in lengths {
      var runs: [Statistics] = []
      Memory.resetPeakMemory()
      for repetition in 1...repetitions {
        line.show("\(length) tokens, run \(repetition) of \(repetitions)")
        let run = try await measure(model, length, responses, speculation, drafter)
        if arguments.has("verbose") { Console.error(StatisticsReport(run).summary) }
        runs.append(run)
      }
      figures.append(
        Figures(
          promptTokens: length, responseTokens: responses,
          prefillTokensPerSecond: median(runs.map(\.prefillTokensPerSecond)),
          decodeTokensPerSecond: median(runs.map(\.decodeTokensPerSecond)),
          timeToFirstTokenSeconds: median(runs.map { $0.timeToFirstToken / .seconds(1) }),
          peakPoolBytes: Memory.peakMemory, draftedTokens: runs[0].speculation.draftedTokens,
          acceptedTokens: runs[0].speculation.acceptedTokens, draftFailure: runs[0].speculation.failure))
      last = runs.last ?? last
    }
    line.clear()
    if let failure = figures.compactMap(\.draftFailure).first {
      Console.error("gemma bench: drafting failed: \(failure)")
    }
    let report = Report(
      loadSeconds: last.loadTime / .seconds(1), mappedBytes: last.mappedBytes, threads: last.threads,
      kernels: last.kernels, figures: figures)
    if isJSON { return try Console.output(json: report) }
    let load = String(format: "%.3f", report.loadSeconds)
    Console.output("loading \(load) s, \(report.threads) threads, \(report.kernels) kernels\n")
    Console.output("prompt\tprefill t/s\tdecode t/s\tfirst token s\tpool peak\n")
    for row in figures {
      let numbers = String(
        format: "%.1f\t%.2f\t%.3f", row.prefillTokensPerSecond, row.decodeTokensPerSecond, row.timeToFirstTokenSeconds)
      let drafts = row.draftedTokens > 0 ? "\t\(row.acceptedTokens) of \(row.draftedTokens) drafts right" : ""
      Console.output("\(row.promptTokens)\t\(numbers)\t\(row.peakPoolBytes.inMegabytes)\(drafts)\n")
    }
  }

  private static func measure(
    _ model: GemmaModel, _ length: Int, _ responses: Int, _ speculation: GenerationOptions.Speculation,
    _ drafter: GemmaDrafter?
  ) async throws -> Statistics {
    let options = GenerationOptions(
      sampling: .greedy, maximumResponseTokens: responses, ignoresEndOfTurn: true, speculation: speculation)
    let timeline = TimelineActor(model, drafter: drafter)
    let generator = try Generator(model, on: timeline, options: options)
    let prompt = FixedPrompt.tokens(length, vocabulary: model.info.vocabularySize)
    return try await generator.answer(to: prompt) { _ in }.statistics
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
