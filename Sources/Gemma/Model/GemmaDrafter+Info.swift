import GemmaModels
import GemmaWeights

extension GemmaDrafter {
  /// What was found in the files of a multi-token-prediction drafter.
  public struct Info: Sendable, Hashable, Codable {
    /// The `model_type` of its configuration.
    public let kind: String
    /// Its decoder layers.
    public let layerCount: Int
    /// Width of its residual stream.
    public let hiddenSize: Int
    /// Numbers that were trained.
    public let parameters: Int
    /// Clusters by which its head looks at the vocabulary; nil where it scores all of the vocabulary.
    public let clusterCount: Int?
    /// How many of the clusters it scores; nil where it scores all of the vocabulary.
    public let selectedClusters: Int?

    init(_ drafter: LoadedDrafter) {
      let configuration = drafter.configuration
      kind = configuration.modelType
      layerCount = configuration.layers.layers.count
      hiddenSize = configuration.layers.hiddenSize
      // The order of the pieces is an index and no weight.
      parameters = drafter.tensors.filter { $0.type != "I64" }.reduce(0) { $0 + $1.parameterCount }
      clusterCount = configuration.clusteredHead?.clusterCount
      selectedClusters = configuration.clusteredHead?.selectedClusters
    }
  }

  /// Of a drafter with files of its own; nil for a slice.
  public var info: Info? { model.map(Info.init) }
}
