import Gemma

enum InspectCommand: Command {
  static let name = "inspect"
  static let abstract = "Shows a model's architecture, parameters, quantisation, drafter and memory plan"
  static let usage = "gemma inspect MODEL [options]"
  static let examples = ["gemma inspect demo", "gemma inspect demo --context-length 8192 --format json"]

  struct Options: OptionGroup {
    let tensors = Flag("tensors", "lists every tensor too (JSON always does)")
  }

  static func run(_ arguments: Arguments<Options>) async throws {
    try arguments.expectPositionals(atMost: 1)
    let model = try await ModelArgument.load(arguments.positional(0, "the model"), arguments.shared)
    let report = try InspectReport(model, drafter: try await DrafterReport.of(model))
    if try arguments.shared.wantsJSON {
      try Console.output(json: report)
    } else {
      Console.output(report.text(withTensors: arguments[\.tensors]))
    }
  }
}
