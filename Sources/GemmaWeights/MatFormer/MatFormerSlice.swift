package import GemmaRuntime

/// A smaller model inside a Gemma 3n one (MatFormer, Devvrit et al., 2023): feed-forward layers cut to their first
/// units, and whole layers left out. The weights of the slice are views into those of the whole model.
///
/// Which widths mean what: published recipes and rows of recipe files are written for the E4B, whose feed-forward
/// layers are 16,384 wide. A width w of theirs is the share w / 16,384 of the model's own full width, so that the same
/// recipe cuts a model of any width; "8" in Google's tables is all of it and "4" is half. Widths given to
/// ``init(name:feedForwardWidths:skippedLayers:)`` are numbers of units of the model at hand.
public struct MatFormerSlice: Sendable, Hashable {
  /// What the feed-forward layers keep. Lists have one entry for each layer that is not skipped.
  enum Widths: Sendable, Hashable {
    case all
    /// The same share of every layer: so many eighths.
    case eighths(Int)
    /// Shares of the full width, in units of which `unit` are all.
    case shares([Int], unit: Int)
    case units([Int])
  }

  /// How it is called: a published name, a row of a recipe file, or the caller's word.
  public let name: String
  let widths: Widths
  /// Indices in the whole model of the layers that are left out, as they were given.
  public let skippedLayers: [Int]

  init(name: String, widths: Widths, skippedLayers: [Int]) {
    self.name = name
    self.widths = widths
    self.skippedLayers = skippedLayers
  }

  /// The whole model.
  public static let full = MatFormerSlice(name: "full", widths: .all, skippedLayers: [])

  /// The first half of every feed-forward layer, all layers: for models of any depth.
  public static let half = MatFormerSlice(name: "half", widths: .eighths(4), skippedLayers: [])

  /// The first `eighths` eighths of every feed-forward layer, all layers; 1 to 8, checked where it is used.
  public static func uniform(eighths: Int) -> MatFormerSlice {
    MatFormerSlice(name: "\(eighths)/8", widths: .eighths(eighths), skippedLayers: [])
  }

  /// A slice of one's own.
  /// - Parameters:
  ///   - name: For messages.
  ///   - feedForwardWidths: Units that each layer that is *not* skipped keeps, in order; nil: all of them.
  ///   - skippedLayers: Indices of the layers to leave out.
  ///
  /// Whether it fits a model is checked where it meets one.
  public init(name: String, feedForwardWidths: [Int]?, skippedLayers: [Int] = []) {
    self.init(name: name, widths: feedForwardWidths.map(Widths.units) ?? .all, skippedLayers: skippedLayers)
  }

  /// Whether nothing is cut.
  public var isFull: Bool { widths == .all && skippedLayers.isEmpty }
}

extension MatFormerSlice {
  /// Applied to a model's configuration: the layers that stay, renumbered, each with its width. The kinds of layers,
  /// the gate's sparsity and the number of the layers with shared keys follow by deleting the entries of what is
  /// skipped.
  /// - Throws: `.unsupportedSlice` naming the first layer that does not fit.
  package func apply(to model: ModelConfiguration) throws(GemmaError) -> ModelConfiguration {
    if isFull { return model }
    guard model.architecture == .gemma3n else {
      throw refused(nil, "only Gemma 3n models are nested; this one is \(model.architecture.rawValue)")
    }
    if case .eighths(let count) = widths, !Self.eighths.contains(count) { throw refused(nil, Self.eighthsRule) }
    let kept = try keptLayers(of: model)
    let widths = try keptWidths(kept, model)
    var layers: [LayerConfiguration] = []
    for (index, width) in zip(kept, widths) {
      let layer = model.layers[index]
      layers.append(
        layer.sliced(width: width, keyValueSource: layer.keyValueSource.flatMap { kept.firstIndex(of: $0) }))
    }
    return model.sliced(to: layers, firstSharedLayer: kept.count { $0 < model.firstSharedLayer })
  }

  private func keptLayers(of model: ModelConfiguration) throws(GemmaError) -> [Int] {
    let sources = Set(model.layers.compactMap(\.keyValueSource))
    var skipped: Set<Int> = []
    for layer in skippedLayers {
      guard model.layers.indices.contains(layer) else {
        throw refused(layer, "it is to be skipped, but the model has \(model.layers.count) layers; \(Self.hint)")
      }
      guard skipped.insert(layer).inserted else { throw refused(layer, "it is to be skipped twice") }
      if sources.contains(layer) {
        throw refused(layer, "it cannot be skipped: other layers read its keys and values")
      }
    }
    guard skipped.count < model.layers.count else { throw refused(nil, "it skips every layer") }
    return model.layers.indices.filter { !skipped.contains($0) }
  }

  private func keptWidths(_ kept: [Int], _ model: ModelConfiguration) throws(GemmaError) -> [Int] {
    let entries: [Int]?
    switch widths {
    case .all, .eighths: entries = nil
    case .shares(let list, _), .units(let list): entries = list
    }
    if let entries, entries.count != kept.count {
      // The first layer that only one of the two knows.
      let layer = entries.count < kept.count ? kept[entries.count] : model.layers.count
      throw refused(
        layer,
        "the slice is for \(entries.count + skippedLayers.count) layers, the model has \(model.layers.count); "
          + Self.hint)
    }
    var widths: [Int] = []
    for (position, layer) in kept.enumerated() {
      let full = model.layers[layer].feedForwardWidth
      let width: Int?
      switch self.widths {
      case .all: width = full
      case .eighths(let count): width = Self.share(count, of: 8, full)
      case .shares(let list, let unit): width = Self.share(list[position], of: unit, full)
      case .units(let list): width = list[position]
      }
      guard let width else { throw refused(layer, "its width \(full) has no such part in whole units") }
      guard (1...full).contains(width) else { throw refused(layer, "it has \(full) units, not \(width)") }
      widths.append(width)
    }
    return widths
  }

  static let eighths = 1...8
  static let eighthsRule = "a share is written N/8, with N from 1 to 8"

  private static let hint = "half or N/8 cut a model of any depth"

  private static func share(_ part: Int, of unit: Int, _ full: Int) -> Int? {
    let (product, overflows) = part.multipliedReportingOverflow(by: full)
    return overflows || product % unit != 0 ? nil : product / unit
  }

  /// A sentence for a model whose layers are not of the width that the slice's widths are written for, and so keep the
  /// same share of another number of units; nil where nothing is rescaled.
  package func rescaling(to model: ModelConfiguration) -> String? {
    guard case .shares(_, let unit) = widths else { return nil }
    let skipped = Set(skippedLayers)
    let full = Set(model.layers.indices.filter { !skipped.contains($0) }.map { model.layers[$0].feedForwardWidth })
    guard let least = full.min(), let most = full.max(), full != [unit] else { return nil }
    return "the recipe is written for layers of \(unit) units; the model's have "
      + (least == most ? "\(least)" : "\(least) to \(most)") + ", of which each keeps the same share"
  }

  /// The error about this slice, and a layer of the whole model where one is to blame.
  package func refused(_ layer: Int?, _ reason: String) -> GemmaError {
    .unsupportedSlice(name: name, layer: layer, reason: reason)
  }
}
