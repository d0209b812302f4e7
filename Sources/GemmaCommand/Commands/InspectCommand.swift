import Gemma
import GemmaModels
import GemmaWeights

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
    let report = InspectReport(
      model, model.loaded.checkpoint.tensors, features: features(model), drafter: try await DrafterReport.of(model))
    if try arguments.shared.wantsJSON {
      try Console.output(json: report)
    } else {
      Console.output(report.text(withTensors: arguments[\.tensors]))
    }
  }

  private static func features(_ model: GemmaModel) -> [String] {
    let configuration = model.loaded.configuration
    let layers = configuration.layers
    var features: [String] = []
    let sliding = layers.filter { $0.kind == .sliding }.count
    if sliding > 0 { features.append("\(sliding) sliding layers with window \(configuration.slidingWindow)") }
    if configuration.firstSharedLayer < layers.count {
      features.append("shared keys and values from layer \(configuration.firstSharedLayer)")
    }
    if configuration.perLayerInputSize > 0 { features.append("per-layer embeddings") }
    if configuration.laurelRank > 0 { features.append("AltUp and LAuReL") }
    if layers.contains(where: { $0.activationSparsity > 0 }) { features.append("activation sparsity") }
    if layers.contains(where: \.valuesFromKeys) { features.append("values from keys") }
    if Set(layers.map(\.headDimension)).count > 1 { features.append("two head sizes") }
    if Set(layers.map(\.feedForwardWidth)).count > 1 { features.append("different feed-forward widths") }
    if configuration.finalLogitSoftcap != nil { features.append("soft cap of the logits") }
    return features
  }
}
