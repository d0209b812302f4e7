import Foundation
import Gemma

/// What `inspect` prints.
struct InspectReport: Encodable {
  var info: GemmaModel.Info
  /// Of the language model, each counted once.
  var parameters: Int
  var effectiveParameters: Int
  var parts: [ModelPart: ModelCosts.Cost]
  var bytesReadPerToken: Int
  /// Where a slice is run; everything above is then about the slice, what follows about the files.
  var slice: SliceReport?
  var bytesByType: [String: Int]
  var features: [String]
  /// Where the model's folder holds one.
  var drafter: DrafterReport?
  /// With the drafter where it can be used, as `run` takes it.
  var plan: MemoryPlan
  var poolBytes: Int
  var tensors: [GemmaModel.Tensor]

  init(_ model: GemmaModel, drafter: (report: DrafterReport, drafter: GemmaDrafter?)?) throws(GemmaError) {
    tensors = model.tensors
    bytesByType = tensors.reduce(into: [:]) { $0[$1.type, default: 0] += $1.byteCount }
    let costs = model.costs
    info = model.info
    parameters = costs.parameters
    effectiveParameters = costs.effectiveParameters
    parts = costs.parts
    bytesReadPerToken = costs.bytesReadPerToken
    slice = try SliceReport(model)
    features = model.features
    self.drafter = drafter?.report
    plan = model.plan(with: drafter?.drafter)
    poolBytes = plan.poolBytes
  }

  /// For people. `withTensors` adds a line for each tensor.
  func text(withTensors: Bool) -> String {
    var lines = [
      "architecture   \(info.architecture), \(info.layerCount) layers, hidden size \(info.hiddenSize)",
      "parameters     \(parameters), \(effectiveParameters) of them outside the embedding tables",
      "vocabulary     \(info.vocabularySize) pieces\(info.hasTokenizer ? "" : " (no tokenizer.json: ids only)")",
      "positions      \(info.maximumPositions)",
      "features       \(features.joined(separator: ", "))",
      "stop tokens    \(info.stopTokens.map(String.init).joined(separator: ", "))",
    ]
    lines += drafter?.lines ?? []
    lines += [
      "memory for \(plan.contextLength) tokens of context",
      "  weights, mapped                  \(plan.mappedBytes.inMegabytes)\(mappedForDrafter)",
      "  keys and values                  \(plan.keyValueBytes.inMegabytes)",
      "  workspace                        \(plan.workspaceBytes.inMegabytes)",
    ]
    if plan.drafterBytes > 0 {
      lines.append("  workspace of the drafter         \(plan.drafterBytes.inMegabytes)")
    }
    lines += [
      "weights read for a token, at most  \(bytesReadPerToken.inMegabytes)"
    ]
    lines += slice?.lines ?? []
    lines.append("parameters and bytes by part\(slice == nil ? "" : " of the slice")")
    lines += parts.sorted { ($0.value.parameters, $1.key.rawValue) > ($1.value.parameters, $0.key.rawValue) }.map {
      part, cost in
      let count = String(cost.parameters)
      return "  \(part.rawValue.padded(to: 20)) \(String(repeating: " ", count: max(0, 14 - count.count)))\(count)"
        + "   \(cost.bytes.inMegabytes)"
    }
    lines.append("quantisation by tensor (* for each layer)")
    lines += quantization
    if withTensors {
      lines.append("tensors: name, type, shape, bits, parameters, bytes, file")
      lines += tensors.map {
        "\($0.name)\t\($0.type)\t\($0.shape)\t\($0.bits)\t\($0.parameters)\t\($0.byteCount)\t\($0.file)"
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var mappedForDrafter: String {
    drafter?.content.map { ", \($0.mappedBytes.inMegabytes) of them for the drafter" } ?? ""
  }

  /// One line for all tensors that differ in nothing but the layer; scales and biases go with their codes.
  private var quantization: [String] {
    var counts: [String: [String: Int]] = [:]
    for tensor in tensors where tensor.parameters > 0 {
      var parts = tensor.name.split(separator: ".", omittingEmptySubsequences: false)
      if parts.first == "layers", parts.count > 2 { parts[1] = "*" }
      let scheme = tensor.groupSize.map { "\(tensor.bits) bits in groups of \($0)" } ?? tensor.type
      counts[parts.joined(separator: "."), default: [:]][scheme, default: 0] += 1
    }
    let width = counts.keys.map(\.count).max() ?? 0
    return counts.sorted { $0.key < $1.key }.map { name, schemes in
      let list = schemes.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map { scheme, count in
        name.contains("*") ? "\(scheme) (\(count))" : scheme
      }
      return "  \(name.padded(to: width))  \(list.joined(separator: ", "))"
    }
  }
}
