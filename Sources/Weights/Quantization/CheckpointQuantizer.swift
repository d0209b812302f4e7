package import Foundation
package import Tensors

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
  ///     `*` stands for any run of characters.
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
  /// that takes the final name as the last step: an interruption leaves nothing under that name.
  /// - Parameters:
  ///   - progress: told the share done, 0 to 1, a few times per second or so.
  ///   - shouldStop: asked as often; true ends the work with `CancellationError`.
  package func run(
    from source: URL, to destination: URL, progress: (Double) -> Void = { _ in }, shouldStop: () -> Bool = { false }
  ) throws -> Summary {
    let checkpoint = try Checkpoint(at: source)
    let config = try JSONFields(file: source.appendingPathComponent("config.json"))
    guard checkpoint.quantization == nil, !checkpoint.storage.keys.contains(where: { $0.hasSuffix(".scales") }) else {
      throw GemmaError.unsupportedModel("\(source.path) is quantised already; start from bf16, f16 or f32 weights")
    }
    let files = FileManager.default
    guard !files.fileExists(atPath: destination.path) else {
      throw GemmaError.fileAccess(destination, reason: "it exists already; name a new folder")
    }
    let plan = QuantizationPlan(checkpoint, quantizer, wrapped: config.has("text_config"), keeps: keeps)
    let partial = destination.deletingLastPathComponent()
      .appendingPathComponent(".\(destination.lastPathComponent).partial-\(UUID().uuidString)")
    try accessing(destination) { try files.createDirectory(at: partial, withIntermediateDirectories: false) }
    do {
      let weights = partial.appendingPathComponent("model.safetensors")
      let written = try QuantizedFileWriter(quantizer, plan).write(weights, progress: progress, shouldStop: shouldStop)
      try accessing(partial) {
        let text = JSONWriter.text(.object(quantizedConfig(config, plan)), indent: 1) + "\n"
        try Data(text.utf8).write(to: partial.appendingPathComponent("config.json"))
        for name in try files.contentsOfDirectory(atPath: source.path) where Self.isCompanion(name) {
          // A link would dangle once the folder is moved; the resolved file is copied instead.
          let original = source.appendingPathComponent(name).resolvingSymlinksInPath()
          try files.copyItem(at: original, to: partial.appendingPathComponent(name))
        }
      }
      if shouldStop() { throw CancellationError() }
      try accessing(destination) { try files.moveItem(at: partial, to: destination) }
      progress(1)
      return Summary(
        quantizedModules: plan.items.count { if case .quantize = $0.step { true } else { false } },
        keptModules: plan.keptModules, bytesRead: checkpoint.mappedBytes, bytesWritten: written)
    } catch {
      // The first error is the one to report; what cannot be removed stays under its hidden name only.
      try? files.removeItem(at: partial)
      throw error
    }
  }

  private func accessing<Result>(_ url: URL, _ body: () throws -> Result) throws(GemmaError) -> Result {
    do {
      return try body()
    } catch {
      throw .fileAccess(url, reason: error.localizedDescription)
    }
  }

  private func quantizedConfig(_ config: JSONFields, _ plan: QuantizationPlan) -> [String: JSONValue] {
    var block: [String: JSONValue] = [
      "group_size": .integer(quantizer.group), "bits": .integer(quantizer.bits), "mode": .string("affine"),
    ]
    for module in plan.keptModules { block[module] = .boolean(false) }
    var members = config.members
    members["quantization"] = .object(block)
    members["quantization_config"] = .object(block)
    return members
  }

  /// Tokenizer, chat template and generation settings: everything small that a loader may look for.
  private static func isCompanion(_ name: String) -> Bool {
    name.hasPrefix("tokenizer") || name.hasSuffix(".jinja")
      || [
        "generation_config.json", "special_tokens_map.json", "added_tokens.json", "chat_template.json",
        "preprocessor_config.json", "processor_config.json",
      ].contains(name)
  }

  private func keeps(_ module: String) -> Bool {
    keep.contains { pattern in
      var rest = module[...]
      for part in pattern.split(separator: "*") {
        guard let found = rest.range(of: part) else { return false }
        rest = rest[found.upperBound...]
      }
      return true
    }
  }
}
