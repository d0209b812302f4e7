import GemmaModels
import GemmaWeights

/// Parameters and bytes of a model or of a slice of it, by part.
struct ModelCosts: Encodable {
  struct Part: Encodable {
    var parameters = 0
    var bytes = 0
  }

  /// Of the language model, each counted once.
  var parameters = 0
  /// Without the two embedding tables, as the names of Gemma 3n's sizes count.
  var effectiveParameters = 0
  var parts: [String: Part] = [:]
  /// Weights that one step of decoding reads: every matrix once, and of the per-layer embeddings one row. Gates that
  /// are cut to zero read less.
  var bytesReadPerToken = 0

  init(_ checkpoint: Checkpoint, _ configuration: ModelConfiguration) {
    let map = SliceMap(configuration, of: checkpoint.configuration)
    for tensor in checkpoint.tensors {
      let part = ModelPart(tensor: tensor.name)
      let kept = map.part(of: tensor.name)
      let count = kept?.share(of: tensor.parameterCount) ?? 0
      let bytes = kept?.share(of: tensor.byteCount) ?? 0
      parts[part.rawValue, default: Part()].parameters += count
      parts[part.rawValue, default: Part()].bytes += bytes
      guard part.isText else { continue }
      parameters += count
      if part != .embedding, part != .perLayerEmbedding { effectiveParameters += count }
      if part == .perLayerEmbedding {
        bytesReadPerToken += bytes / max(configuration.perLayerVocabularySize, 1)
      } else if map.isUsed(tensor.name) {
        bytesReadPerToken += bytes
      }
    }
  }
}

/// What `inspect` says about a slice: what it keeps, and what the whole model would cost.
struct SliceCosts: Encodable {
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
  init?(_ model: LoadedModel, _ kept: ModelCosts) {
    guard !model.slice.isFull else { return nil }
    let stored = model.checkpoint.configuration
    let indices = Set(model.configuration.layers.map(\.storedIndex))
    name = model.slice.name
    layers = model.configuration.layers.count
    skippedLayers = stored.layers.indices.filter { !indices.contains($0) }
    feedForwardWidths = model.configuration.layers.map(\.feedForwardWidth)
    rescaling = model.slice.rescaling(to: stored)
    self.kept = kept
    whole = ModelCosts(model.checkpoint, stored)
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

  private func feedForward(_ costs: ModelCosts) -> Int { costs.parts[ModelPart.feedForward.rawValue]?.parameters ?? 0 }
}
