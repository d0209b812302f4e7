package import Foundation
import GemmaJSON
package import GemmaRuntime

/// Writes a bf16, f16 or f32 checkpoint folder as one in MLX's affine layout.
///
/// Linear and embedding matrices of the text model are quantised; norms, AltUp's small coefficients, matrices whose
/// width is no multiple of the group, whatever matches `keep`, and the towers are copied unchanged.
package struct CheckpointQuantizer: Sendable {
  package struct Summary: Sendable, Hashable {
    package let quantizedModules: Int
    /// Prefix-bearing paths of the linear modules that stay as they were.
    package let keptModules: [String]
    /// Bytes of the weights before and after.
    package let bytesRead: Int
    package let bytesWritten: Int
  }

  private let quantizer: AffineQuantizer
  private let keep: [String]

  /// - Parameters:
  ///   - bits: 4 or 8.
  ///   - group: 32, 64 or 128.
  ///   - keep: parts of module paths to leave unquantised, such as "embed_tokens" or "layers.0.*.q_proj", where
  ///     `*` stands for any characters.
  package init(bits: Int, group: Int, keep: [String] = []) throws(GemmaError) {
    guard bits == 4 || bits == 8 else { throw .invalidOption("\(bits) bits; expected 4 or 8") }
    guard [32, 64, 128].contains(group) else {
      throw .invalidOption("groups of \(group); expected 32, 64 or 128")
    }
    guard keep.allSatisfy({ !$0.isEmpty }) else { throw .invalidOption("an empty pattern of modules to keep") }
    quantizer = AffineQuantizer(bits: bits, group: group)
    self.keep = keep
  }

  /// Quantises `source` into the new folder `destination`. Everything is written into a hidden folder beside it
  /// that takes the final name as the last step: an interruption leaves nothing under that name, and what a killed
  /// process left under the hidden one is removed by the next.
  /// - Parameters:
  ///   - progress: told the share done, 0 to 1, a few times per second or so.
  ///   - shouldStop: asked as often; true ends the work with `CancellationError`.
  /// - Throws: `.fileAccess` of `destination` where writing fails and of other files where reading does; the errors of
  ///   `Checkpoint`; `.unsupportedModel` for a source that is quantised; `.malformedFile` for weights that are not finite;
  ///   `.invalidOption` for a pattern of `keep` that matches nothing.
  package func run(
    from source: URL, to destination: URL, progress: (Double) -> Void = { _ in }, shouldStop: () -> Bool = { false }
  ) throws -> Summary {
    let checkpoint = try Checkpoint(at: source)
    let config = try JSONFields(file: source.appendingPathComponent("config.json"))
    guard checkpoint.quantization == nil, !MLXAffineLayout.isUsed(in: checkpoint.store) else {
      throw GemmaError.unsupportedModel("\(source.path) is quantised already; start from bf16, f16 or f32 weights")
    }
    try checkpoint.checkGapless()
    for pattern in keep where !checkpoint.store.tensors.keys.contains(where: { Self.matches(pattern, $0) }) {
      throw GemmaError.invalidOption(
        "no module matches \"\(pattern)\"; expected a part of a path such as embed_tokens or layers.0.*.q_proj")
    }
    let plan = QuantizationPlan(checkpoint, quantizer, wrapped: config.has("text_config"), keeps: keeps)
    let folder = try PartialFolder(for: destination)
    do {
      let weights = try folder.file("model.safetensors")
      let written = try QuantizedFileWriter(quantizer, plan).write(weights, progress: progress, shouldStop: shouldStop)
      try folder.write(config: quantizedConfig(config, plan))
      try folder.copyCompanions(of: source)
      if shouldStop() { throw CancellationError() }
      try folder.commit()
      progress(1)
      return Summary(
        quantizedModules: plan.items.count { if case .quantize = $0.step { true } else { false } },
        keptModules: plan.keptModules, bytesRead: checkpoint.mappedBytes, bytesWritten: written)
    } catch {
      folder.discard()
      throw error
    }
  }

  private func quantizedConfig(_ config: JSONFields, _ plan: QuantizationPlan) -> JSONObject {
    var block: JSONObject = [
      "group_size": .integer(quantizer.group), "bits": .integer(quantizer.bits), "mode": .string("affine"),
    ]
    for module in plan.keptModules { block[module] = .boolean(false) }
    var members = config.members
    members["quantization"] = .object(block)
    members["quantization_config"] = .object(block)
    return members
  }

  private func keeps(_ module: String) -> Bool { keep.contains { Self.matches($0, module) } }

  private static func matches(_ pattern: String, _ path: String) -> Bool {
    var rest = path[...]
    for part in pattern.split(separator: "*") {
      guard let found = rest.range(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return true
  }
}
