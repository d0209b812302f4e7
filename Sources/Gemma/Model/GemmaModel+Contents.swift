import GemmaModels
import GemmaWeights

extension GemmaModel {
  /// One tensor of the files.
  public struct Tensor: Sendable, Hashable, Codable {
    /// Without the prefix that exporters put in front.
    public let name: String
    /// As the file writes it, such as `BF16`.
    public let type: String
    /// As the file writes it, the slowest axis first.
    public let shape: [Int]
    /// Bits of one element, which is one code in a quantised matrix.
    public let bits: Int
    /// Weights that share a scale; nil where the tensor holds no codes.
    public let groupSize: Int?
    /// Parameters of the model in it; 0 for the scales and biases of a quantised matrix.
    public let parameters: Int
    /// Its size in the file.
    public let byteCount: Int
    /// The name of the file, without its folder.
    public let file: String

    init(_ info: TensorInfo) {
      name = info.name
      type = info.type
      shape = info.shape
      bits = info.bits
      groupSize = info.groupSize
      parameters = info.parameterCount
      byteCount = info.byteCount
      file = info.fileName
    }
  }

  /// What a slice leaves of a Gemma 3n model.
  public struct Cut: Sendable, Hashable {
    /// Layers that are left out, numbered as in the whole model.
    public let skippedLayers: [Int]
    /// The feed-forward width of each layer that stays.
    public let feedForwardWidths: [Int]
    /// How the slice's widths were fitted to this model's, in words; nil where they were not.
    public let rescaling: String?
  }

  /// All tensors of the files by name, also those that the slice leaves out or that are not read.
  public var tensors: [Tensor] { loaded.checkpoint.tensors.map(Tensor.init) }

  /// What the slice cuts; nil for the whole model.
  public var cut: Cut? {
    guard !loaded.slice.isFull else { return nil }
    let (stored, layers) = (loaded.checkpoint.configuration, loaded.configuration.layers)
    let kept = Set(layers.map(\.storedIndex))
    return Cut(
      skippedLayers: stored.layers.indices.filter { !kept.contains($0) },
      feedForwardWidths: layers.map(\.feedForwardWidth), rescaling: loaded.slice.rescaling(to: stored))
  }

  /// What is peculiar to the model's architecture, in words.
  public var features: [String] {
    let configuration = loaded.configuration
    let layers = configuration.layers
    var features: [String] = []
    let sliding = layers.filter { $0.kind == .sliding }.count
    if sliding > 0 { features.append("\(sliding) sliding layers with window \(configuration.slidingWindow)") }
    if configuration.firstSharedLayer < layers.count {
      features.append("shared keys and values from layer \(configuration.firstSharedLayer)")
    }
    if configuration.perLayerInputSize > 0 { features.append("per-layer embeddings") }
    if configuration.laurelRank > 0 { features.append("AltUp and LAuReL") }
    if layers.contains(where: { $0.activationSparsity > 0 }) { features.append("activation sparsity") }
    if layers.contains(where: \.valuesFromKeys) { features.append("values from keys") }
    if Set(layers.map(\.headDimension)).count > 1 { features.append("two head sizes") }
    if Set(layers.map(\.feedForwardWidth)).count > 1 { features.append("different feed-forward widths") }
    if configuration.finalLogitSoftcap != nil { features.append("soft cap of the logits") }
    return features
  }
}
