import GemmaModels
import GemmaWeights

/// Parameters and bytes of a model or of a slice of it, by part.
public struct ModelCosts: Sendable, Hashable, Codable {
  /// What one part costs.
  public struct Cost: Sendable, Hashable, Codable {
    /// Numbers that were trained: codes are counted one by one, their scales and biases not at all.
    public fileprivate(set) var parameters = 0
    /// Bytes in the files, scales and biases included.
    public fileprivate(set) var bytes = 0
  }

  /// Parameters of the language model, each counted once.
  public private(set) var parameters = 0
  /// Those outside the two embedding tables, as the names of Gemma 3n's sizes count.
  public private(set) var effectiveParameters = 0
  /// Every part that the files hold something of.
  public private(set) var parts: [ModelPart: Cost] = [:]
  /// Bytes of weights that one step of decoding reads at most: every matrix once, and of the per-layer embeddings one
  /// row. Gates that are cut to zero read less.
  public private(set) var bytesReadPerToken = 0

  init(_ model: LoadedModel) {
    let configuration = model.configuration
    let map = SliceMap(configuration, of: model.checkpoint.configuration)
    for tensor in model.checkpoint.tensors {
      let part = ModelPart(tensor: tensor.name)
      let kept = map.part(of: tensor.name)
      let count = kept?.share(of: tensor.parameterCount) ?? 0
      let bytes = kept?.share(of: tensor.byteCount) ?? 0
      parts[part, default: Cost()].parameters += count
      parts[part, default: Cost()].bytes += bytes
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

extension GemmaModel {
  /// What this model costs; of a slice, what the slice costs. `try model.sliced(to: .full).costs` are those of all that
  /// the files hold.
  public var costs: ModelCosts { ModelCosts(loaded) }
}
