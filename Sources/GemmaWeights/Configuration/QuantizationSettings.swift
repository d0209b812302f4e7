import Foundation
import GemmaJSON
import GemmaRuntime

/// The `quantization` block MLX writes: a default for all modules, and exceptions by module path.
struct QuantizationSettings: Sendable {
  struct Scheme: Sendable, Hashable {
    let bits: Int
    let group: Int
  }

  private static let prefixes = [
    "layers.", "embed_tokens", "per_layer_model_projection", "altup_", "pre_projection", "post_projection",
    "masked_embedding.",
  ]

  let common: Scheme
  private let overrides: [String: Scheme]

  /// nil where config.json has no such block.
  init?(_ file: JSONFields) throws(GemmaError) {
    let mlx = try file.object("quantization")
    let key = mlx == nil ? "quantization_config" : "quantization"
    guard let block = try file.object(key) else { return nil }
    if mlx == nil, let method = try block.string("quant_method") {
      throw .unsupportedModel("quantisation \"\(method)\"; expected MLX's affine 4 or 8 bits, or bf16, f16 or f32")
    }
    common = try Self.scheme(block, default: nil)
    var overrides: [String: Scheme] = [:]
    for (module, value) in block.members {
      guard case .object = value, let fields = try block.object(module) else { continue }
      let name = TensorNames.canonical(module)
      // Only the modules of text models and drafters are run: the towers may be stored in any way.
      guard Self.prefixes.contains(where: name.hasPrefix) else { continue }
      let scheme = try Self.scheme(fields, default: common)
      if let other = overrides.updateValue(scheme, forKey: name), other != scheme {
        throw block.error(module, "a second path of the same module says something else")
      }
    }
    self.overrides = overrides
  }

  func scheme(of module: String) -> Scheme { overrides[module] ?? common }

  private static func scheme(_ fields: JSONFields, default common: Scheme?) throws(GemmaError) -> Scheme {
    let place = "\(fields.path.dropLast()) in \(fields.url.path)"
    if let mode = try fields.string("mode"), mode != "affine" {
      throw .unsupportedModel("quantisation mode \"\(mode)\" (\(place)); expected affine")
    }
    let bits = try fields.integer("bits", in: 1...64, default: common?.bits)
    guard bits == 4 || bits == 8 else {
      throw .unsupportedModel("quantisation with \(bits) bits (\(place)); expected 4 or 8")
    }
    let group = try fields.integer("group_size", in: 1...65536, default: common?.group ?? 64)
    guard [32, 64, 128].contains(group) else {
      throw .unsupportedModel("quantisation in groups of \(group) (\(place)); expected 32, 64 or 128")
    }
    return Scheme(bits: bits, group: group)
  }
}
