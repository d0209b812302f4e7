import GemmaJSON
import GemmaRuntime

/// Rotary embedding per kind of layer: from the map `rope_parameters`, or from the older keys `rope_theta`,
/// `rope_local_base_freq` and `rope_scaling` (which concerns full layers only).
struct RotaryParser {
  private let text: JSONFields
  private let family: FamilyDefaults

  init(_ text: JSONFields, _ family: FamilyDefaults) {
    self.text = text
    self.family = family
  }

  func configuration(of kind: AttentionKind, headDimension: Int) throws(GemmaError) -> RotaryConfiguration {
    let key = kind == .full ? "full_attention" : "sliding_attention"
    let parameters = try text.object("rope_parameters")
    let own = try parameters?.object(key)
    if family.architecture == .gemma4, let parameters {
      // The defaults stand in for the whole map only, as in transformers.
      guard let own else { throw parameters.mismatch(key, expected: "an object") }
      guard own.has("rope_theta") else { throw own.mismatch("rope_theta", expected: "a base above 1") }
    }
    let scaling = kind == .full && family.architecture != .gemma4 ? try text.object("rope_scaling") : nil
    let theta = try own?.has("rope_theta") == true ? thetaValue(own, "rope_theta") : legacyTheta(kind)
    let absent = family.architecture == .gemma4 && kind == .full && own == nil
    let source = scaling ?? own
    let typeKey = source?.has("rope_type") == true ? "rope_type" : "type"
    let type = try source?.string(typeKey) ?? (absent ? "proportional" : "default")
    let share =
      try source?.positive("partial_rotary_factor", upTo: 1, default: absent ? 0.25 : 1) ?? (absent ? 0.25 : 1)
    let factor = try source?.positive("factor", upTo: 1e6, default: 1) ?? 1
    switch type {
    case "default" where share == 1:
      return RotaryConfiguration(theta: theta, rotatedPairs: headDimension / 2, linearFactor: 1)
    case "linear" where share == 1:
      guard let source, source.has("factor") else { throw text.error("rope_scaling", "linear, but without a factor") }
      return RotaryConfiguration(theta: theta, rotatedPairs: headDimension / 2, linearFactor: factor)
    case "proportional":
      let pairs = Int(share * Double(headDimension) / 2)
      return RotaryConfiguration(theta: theta, rotatedPairs: pairs, linearFactor: factor)
    default:
      throw .unsupportedModel(
        "rope_type \"\(type)\" with partial_rotary_factor \(share); expected default, linear or proportional")
    }
  }

  private func thetaValue(_ fields: JSONFields?, _ key: String) throws(GemmaError) -> Double {
    let theta = try (fields ?? text).number(key)
    guard theta > 1, theta <= 1e12 else { throw (fields ?? text).mismatch(key, expected: "a base above 1") }
    return theta
  }

  private func legacyTheta(_ kind: AttentionKind) throws(GemmaError) -> Double {
    let key = kind == .full ? "rope_theta" : "rope_local_base_freq"
    guard family.architecture != .gemma4, text.has(key) else { return kind == .full ? 1_000_000 : 10_000 }
    return try thetaValue(text, key)
  }
}
