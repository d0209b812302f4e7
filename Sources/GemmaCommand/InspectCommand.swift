import Foundation
import Gemma
import Models
import Weights

enum InspectCommand: Command {
  static let name = "inspect"
  static let abstract = "Shows a model's architecture, tensors and memory plan"
  static let usage = "gemma inspect MODEL [options]"
  static let examples = ["gemma inspect demo", "gemma inspect demo --context-length 8192 --format json"]
  static let options = [OptionSpec("tensors", "lists every tensor in text output too")]

  private struct TensorReport: Encodable {
    var name: String
    var type: String
    var shape: [Int]
    var byteCount: Int
    var file: String
  }

  private struct Report: Encodable {
    var info: GemmaModel.Info
    var bytesByPart: [String: Int]
    var bytesByType: [String: Int]
    var features: [String]
    var plan: MemoryPlan
    var poolBytes: Int
    var tensors: [TensorReport]
  }

  static func run(_ arguments: Arguments) async throws {
    try arguments.expectPositionals(atMost: 1)
    let model = try await SharedOptions.load(arguments.positional(0, "the model"), arguments)
    let tensors = model.loaded.checkpoint.tensors
    let report = Report(
      info: model.info, bytesByPart: bytes(tensors) { part(of: $0.name) }, bytesByType: bytes(tensors, by: \.type),
      features: features(model), plan: model.plan, poolBytes: model.plan.poolBytes,
      tensors: tensors.map {
        TensorReport(name: $0.name, type: $0.type, shape: $0.shape, byteCount: $0.byteCount, file: $0.fileName)
      })
    if try SharedOptions.wantsJSON(arguments) {
      try Console.output(json: report)
    } else {
      Console.output(text(report, withTensors: arguments.has("tensors")))
    }
  }

  private static func text(_ report: Report, withTensors: Bool) -> String {
    func table(_ values: [String: Int]) -> [String] {
      values.sorted { $0.value > $1.value }.map { "  \($0.key.padded(to: 32)) \($0.value.inMegabytes)" }
    }
    let info = report.info
    var lines = [
      "architecture   \(info.architecture), \(info.layerCount) layers, hidden size \(info.hiddenSize)",
      "vocabulary     \(info.vocabularySize) pieces\(info.hasTokenizer ? "" : " (no tokenizer.json: ids only)")",
      "positions      \(info.maximumPositions)",
      "features       \(report.features.joined(separator: ", "))",
      "stop tokens    \(info.stopTokens.map(String.init).joined(separator: ", "))",
      "memory for \(report.plan.contextLength) tokens of context",
      "  weights, mapped                  \(report.plan.mappedBytes.inMegabytes)",
      "  keys and values                  \(report.plan.keyValueBytes.inMegabytes)",
      "  workspace                        \(report.plan.workspaceBytes.inMegabytes)",
      "weights by part",
    ]
    lines += table(report.bytesByPart)
    lines.append("weights by stored type (U32: quantised codes)")
    lines += table(report.bytesByType)
    if withTensors {
      lines += report.tensors.map { "\($0.name)\t\($0.type)\t\($0.shape)\t\($0.byteCount)\t\($0.file)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func bytes(_ tensors: [TensorInfo], by key: (TensorInfo) -> String) -> [String: Int] {
    tensors.reduce(into: [:]) { $0[key($1), default: 0] += $1.byteCount }
  }

  /// "layers.3.mlp.up_proj.weight" belongs to "layers.mlp", other tensors to the first part of their name.
  private static func part(of name: String) -> String {
    let parts = name.split(separator: ".").map(String.init)
    guard parts.first == "layers", parts.count > 3 else { return parts.first ?? name }
    return "layers." + parts[2]
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
