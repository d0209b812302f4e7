import BenchSupport
import Foundation
import Gemma
import GemmaKernels

/// `model-bench`: speed and memory of a model at growing depths of the context, as comma-separated values.
@main
enum ModelBench {
  private static let specs = [
    OptionSpec("depths", value: "LIST", "frontiers in tokens, ascending (default: 128,512,2048,8192)"),
    OptionSpec("response-tokens", value: "N", "tokens generated in a round (default: 8)"),
    OptionSpec("rounds", value: "N", "rounds at each frontier, the memory measured around each (default: 4)"),
    OptionSpec("repetitions", value: "N", "runs; medians count (default: 3)"),
    OptionSpec("threads", value: "N", "threads (default: the processors there are)"),
    OptionSpec("kernels", value: "NAME", "kernel level (default: the fastest)"),
    OptionSpec("prefill-chunk", value: "N", "prompt tokens that go through the layers together"),
    OptionSpec("activations", value: "int8|float32", "precision of activations (default: int8)"),
    OptionSpec("help", "this text"),
  ]

  static func main() async {
    do {
      let options = try Options(CommandLine.arguments.dropFirst(), specs: specs)
      if options.has("help") {
        let about = "Measures a model at growing depths: prefill of the last stretch, decode, first token, memory."
        return FileHandle.standardOutput.write(Data(Tool.help("model-bench FOLDER [options]", about, specs).utf8))
      }
      try await run(options)
    } catch {
      exit(Tool.report(error))
    }
  }

  private static func run(_ options: Options) async throws {
    guard options.positionals.count == 1 else { throw UsageError("give one model folder; --help says more") }
    let depths = try options.integers("depths", in: 1...1 << 22) ?? [128, 512, 2048, 8192]
    guard zip(depths, depths.dropFirst()).allSatisfy(<), let longest = depths.last else {
      throw UsageError("--depths must ascend")
    }
    let responseTokens = try options.integer("response-tokens", in: 1...1 << 20) ?? 8
    let rounds = try options.integer("rounds", in: 1...1 << 10) ?? 4
    let threads = try options.integer("threads", in: 1...1024) ?? Int(ck_processor_count())
    var modelOptions = GemmaModel.Options()
    modelOptions.contextLength = longest + responseTokens * rounds
    modelOptions.threads = threads
    modelOptions.prefillChunk = try options.integer("prefill-chunk", in: 1...65_536)
    if let name = options.string("activations") {
      guard let activations = GemmaModel.Options.Activations(rawValue: name) else {
        throw UsageError("--activations is int8 or float32, not \"\(name)\"")
      }
      modelOptions.activations = activations
    }
    if let name = options.string("kernels") { try Kernels.select(name) }
    let folder = URL(filePath: options.positionals[0])
    let alternation = try Alternation(folder, threads: threads)
    var model: GemmaModel?
    let load = try await asyncSeconds {
      model = try await GemmaModel(at: folder, options: modelOptions)
    }
    guard let model else { return }
    Output.note("loaded in \(load.formatted(3)) s: \(model.info.architecture), \(model.info.mappedBytes) bytes mapped")
    let walk = Walk(
      model: model, depths: depths, roundTokens: responseTokens, rounds: rounds,
      repetitions: try options.integer("repetitions", in: 1...1000) ?? 3, alternation: alternation)
    report(try await walk.measure())
  }

  private static func report(_ frontiers: [Frontier]) {
    Output.csv([
      "depth", "stretch", "kernels", "prefill_tokens_per_s", "prefill_best", "decode_tokens_per_s", "decode_best",
      "decode_weight_mb", "decode_cache_mb", "decode_gb_per_s", "read_gb_per_s", "share_of_read", "share_least",
      "share_most", "weights_read_gb_per_s", "share_of_weights_read", "first_token_s", "pool_peak_bytes",
      "rss_anon_bytes", "rss_file_bytes",
    ])
    for row in frontiers {
      let decode = Times(row.decode.map(\.seconds))
      let shares = row.decode.map(\.shareOfRead)
      func median(_ value: (DecodeRound) -> Double) -> Double { Times(row.decode.map(value)).median }
      Output.csv([
        "\(row.depth)", "\(row.stretch)", Kernels.current, (Double(row.stretch) / row.prefill.median).formatted(1),
        (Double(row.stretch) / row.prefill.minimum).formatted(1), (1 / decode.median).formatted(2),
        (1 / decode.minimum).formatted(2), (median(\.weightBytes) / 1e6).formatted(1),
        (median(\.cacheBytes) / 1e6).formatted(1), (median(\.bytesPerSecond) / 1e9).formatted(1),
        (median(\.readBandwidth.new) / 1e9).formatted(1), median(\.shareOfRead).formatted(3),
        (shares.min() ?? .nan).formatted(3), (shares.max() ?? .nan).formatted(3),
        (median(\.readBandwidth.weights) / 1e9).formatted(1), median(\.shareOfWeightsRead).formatted(3),
        row.firstToken.formatted(4),
        "\(row.poolBytes)",
        row.resident.map { "\($0.anonymousBytes)" } ?? "", row.resident.map { "\($0.fileBytes)" } ?? "",
      ])
    }
  }
}
