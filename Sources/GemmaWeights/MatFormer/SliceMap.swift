/// What a slice keeps of the tensors of its checkpoint, by name: as a view, as a sum of bytes or as a file of its own.
package struct SliceMap: Sendable {
  /// The part of one stored tensor that belongs to the slice.
  package struct Part: Sendable, Hashable {
    /// The name in a checkpoint that holds only the slice, where layers count from 0 without gaps.
    package let name: String
    /// The axis that is cut; meaningless where nothing is.
    package let axis: Int
    /// What stays of the axis, in ascending order, where the whole axis is `total` long: feed-forward units or layers,
    /// whatever number of stored elements each of them takes.
    package let kept: [Range<Int>]
    package let total: Int

    package var isWhole: Bool { keptCount == total }
    package var keptCount: Int { kept.reduce(0) { $0 + $1.count } }

    /// The share of a count of elements or bytes of the whole tensor.
    package func share(of count: Int) -> Int { count * keptCount / total }
  }

  private let whole: ModelConfiguration
  private let layers: [LayerConfiguration]
  /// Number in the slice by number in the files.
  private let numbers: [Int: Int]

  /// `sliced` comes from `MatFormerSlice.apply(to: whole)`.
  package init(_ sliced: ModelConfiguration, of whole: ModelConfiguration) {
    self.whole = whole
    layers = sliced.layers
    numbers = Dictionary(uniqueKeysWithValues: sliced.layers.enumerated().map { ($1.storedIndex, $0) })
  }

  /// The layers that stay, as ranges in the files.
  private var layerRanges: [Range<Int>] {
    var ranges: [Range<Int>] = []
    for index in layers.map(\.storedIndex) {
      if let last = ranges.last, last.upperBound == index {
        ranges[ranges.count - 1] = last.lowerBound..<index + 1
      } else {
        ranges.append(index..<index + 1)
      }
    }
    return ranges
  }

  /// Nil for a tensor of a skipped layer. `name` has no prefix; scales and biases are cut as their codes are. Names of
  /// modules, without ".weight" at the end, are understood too.
  package func part(of name: String) -> Part? {
    var parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    func uncut(_ name: String) -> Part { Part(name: name, axis: 0, kept: [0..<1], total: 1) }
    switch parts[0] {
    case "embed_tokens_per_layer":
      return Part(name: name, axis: 1, kept: layerRanges, total: whole.layers.count)
    case "per_layer_model_projection":
      return Part(name: name, axis: 0, kept: layerRanges, total: whole.layers.count)
    case "layers" where parts.count > 2:
      guard let stored = Int(parts[1]), whole.layers.indices.contains(stored) else { return uncut(name) }
      guard let number = numbers[stored] else { return nil }
      parts[1] = String(number)
      let renamed = parts.joined(separator: ".")
      guard parts[2] == "mlp", parts.count > 3 else { return uncut(renamed) }
      return Part(
        name: renamed, axis: parts[3] == "down_proj" ? 1 : 0, kept: [0..<layers[number].feedForwardWidth],
        total: whole.layers[stored].feedForwardWidth)
    default: return uncut(name)
    }
  }

  /// Whether a token's way through the slice reads this tensor: keys and values of a layer that uses another one's are
  /// stored in published files for nothing.
  package func isUsed(_ name: String) -> Bool {
    let parts = name.split(separator: ".")
    guard parts.first == "layers", parts.count > 3, let stored = Int(parts[1]), whole.layers.indices.contains(stored)
    else { return true }
    guard let number = numbers[stored] else { return false }
    return layers[number].keyValueSource == nil || parts[2] != "self_attn"
      || !["k_proj", "v_proj", "k_norm"].contains(String(parts[3]))
  }
}
