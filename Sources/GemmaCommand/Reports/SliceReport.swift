import Gemma

/// What `inspect` says about a slice: what it keeps, and what the whole model would cost.
struct SliceReport: Encodable {
  var name: String
  var layers: Int
  /// Numbered as in the whole model.
  var skippedLayers: [Int]
  var feedForwardWidths: [Int]
  /// Whether widths were rescaled, in words.
  var rescaling: String?
  /// What runs.
  var kept: ModelCosts
  var whole: ModelCosts

  /// Nil where nothing is cut.
  init?(_ model: GemmaModel) throws(GemmaError) {
    guard let cut = model.cut else { return nil }
    name = model.info.slice
    layers = model.info.layerCount
    skippedLayers = cut.skippedLayers
    feedForwardWidths = cut.feedForwardWidths
    rescaling = cut.rescaling
    kept = model.costs
    whole = try model.sliced(to: .full).costs
  }

  /// For people.
  var lines: [String] {
    func line(_ what: String, _ kept: Int, _ whole: Int, _ text: (Int) -> String) -> String {
      let share = whole > 0 ? 100 - 100 * kept / whole : 0
      return "  \(what.padded(to: 32)) \(text(kept)) of \(text(whole)), \(share) % less"
    }
    var widths: [String] = []
    for width in feedForwardWidths.map(String.init) where widths.last != width { widths.append(width) }
    let skipped = skippedLayers.map(String.init).joined(separator: ", ")
    var lines = [
      "slice          \(name): \(layers) layers\(skipped.isEmpty ? "" : ", without \(skipped)"); "
        + "feed-forward widths in order \(widths.joined(separator: ", "))"
    ]
    if let rescaling { lines.append("  \(rescaling)") }
    lines += [
      line("parameters", kept.parameters, whole.parameters, String.init),
      line("without embedding tables", kept.effectiveParameters, whole.effectiveParameters, String.init),
      line("feed-forward parameters", feedForward(kept), feedForward(whole), String.init),
      line("weights read per token, at most", kept.bytesReadPerToken, whole.bytesReadPerToken) { $0.inMegabytes },
    ]
    return lines
  }

  private func feedForward(_ costs: ModelCosts) -> Int { costs.parts[.feedForward]?.parameters ?? 0 }
}
