public import GemmaRuntime

extension MatFormerSlice {
  /// Units of the feed-forward layers for which recipes are written.
  static let recipeWidth = 16_384

  /// What Google's E2B is of its E4B: half of every feed-forward layer, without the layers 20 to 24.
  public static let e2b = recipe("e2b", wide: [], skipped: [20...24])

  /// The 16 recipes of google/gemma3n-slicing-configs under their names there, for models of 35 layers. The numbers in
  /// the names are parameters in billions without the two embedding tables.
  public static let published: [MatFormerSlice] = [
    recipe("Main model", wide: [0...34]),
    recipe("Config for official E2B Model", wide: [], skipped: [20...24]),
    recipe("Config for E1.96B (layer-level)", wide: [4...4], skipped: [20...24]),
    recipe("Config for E2.54B (layer-level)", wide: [4...4, 20...24]),
    recipe("Config for E2.69B (layer-level)", wide: [4...4, 9...9, 14...14, 19...24]),
    recipe("Config for E2.98B (layer-level)", wide: [15...24, 30...34]),
    recipe("Config for E3.18B (layer-level)", wide: [4...4, 9...24, 29...29, 34...34]),
    recipe("Config for E3.39B (layer-level)", wide: [4...4, 9...29, 34...34]),
    recipe("Config for E3.59B (layer-level)", wide: [4...29, 34...34]),
    recipe("Config for E3.79B (layer-level)", wide: [4...34]),
    recipe("Config for E2.49B (block-level)", wide: [20...24]),
    recipe("Config for E2.73B (block-level)", wide: [15...24]),
    recipe("Config for E2.98B (block-level)", wide: [10...24]),
    recipe("Config for E3.24B (block-level)", wide: [10...29]),
    recipe("Config for E3.49B (block-level)", wide: [5...29]),
    recipe("Config for E3.79B (block-level)", wide: [5...34]),
  ]

  /// `wide` layers keep all of their units, the others half. Layers count in the whole model.
  private static func recipe(
    _ name: String, wide: [ClosedRange<Int>], skipped: [ClosedRange<Int>] = []
  ) -> MatFormerSlice {
    let skippedLayers = skipped.flatMap { Array($0) }
    let kept = (0..<35).filter { !skippedLayers.contains($0) }
    let widths = kept.map { layer in wide.contains { $0.contains(layer) } ? recipeWidth : recipeWidth / 2 }
    return MatFormerSlice(name: name, widths: .shares(widths, unit: recipeWidth), skippedLayers: skippedLayers)
  }

  /// A slice by name: "full", "half", "e2b", "5/8" for so many eighths of every layer, or a published recipe, with or
  /// without "Config for", as in "E2.54B (layer-level)", or shortened as long as one recipe alone begins so: "E2.54B".
  /// - Throws: `.unsupportedSlice` listing the names.
  public init(named name: String) throws(GemmaError) {
    let wanted = Self.simplified(name)
    if let known = [Self.full, .half, .e2b].first(where: { Self.simplified($0.name) == wanted }) {
      self = known
      return
    }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2, parts.allSatisfy({ Double($0) != nil }) {
      guard parts[1] == "8", let eighths = Int(parts[0]), Self.eighths.contains(eighths) else {
        throw .unsupportedSlice(name: name, layer: nil, reason: Self.eighthsRule)
      }
      self = .uniform(eighths: eighths)
      return
    }
    let matches = Self.published.filter { Self.simplified($0.name).hasPrefix(wanted) }
    guard !wanted.isEmpty, let match = matches.first, matches.count == 1 || Self.simplified(match.name) == wanted else {
      let names = matches.isEmpty || wanted.isEmpty ? Self.published : matches
      let list = (["full", "half", "N/8", "e2b"] + names.map { Self.short($0.name) }).joined(separator: ", ")
      throw .unsupportedSlice(
        name: name, layer: nil,
        reason: "\(matches.count > 1 && !wanted.isEmpty ? "several recipes begin so" : "there is none of this name"); "
          + "known are \(list)")
    }
    self = match
  }

  private static func short(_ name: String) -> String {
    name.hasPrefix("Config for ") ? String(name.dropFirst("Config for ".count)) : name
  }

  /// Lowercase letters, digits and points alone, without the introduction.
  private static func simplified(_ name: String) -> String {
    let plain = name.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "." }
    return plain.hasPrefix("configfor") ? String(plain.dropFirst("configfor".count)) : plain
  }
}
