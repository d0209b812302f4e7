/// The model families whose text part this package runs.
package enum Architecture: String, Sendable, Hashable { case gemma3, gemma3n, gemma4 }

/// What a layer's attention sees: the last `slidingWindow` positions, or all of them.
package enum AttentionKind: Sendable, Hashable { case sliding, full }

/// Rotary position embedding of one kind of layer: pair k of a head (elements k and k + headDimension / 2) turns by
/// `position * theta^(-2k / headDimension) / linearFactor` for k < `rotatedPairs` and stays as it is from there on.
package struct RotaryConfiguration: Sendable, Hashable {
  package let theta: Double
  package let rotatedPairs: Int
  /// 1 where positions are not interpolated.
  package let linearFactor: Double

  package init(theta: Double, rotatedPairs: Int, linearFactor: Double) {
    self.theta = theta
    self.rotatedPairs = rotatedPairs
    self.linearFactor = linearFactor
  }
}

package struct LayerConfiguration: Sendable, Hashable {
  /// The number in the names of its tensors; another one than its own only in a slice.
  package let storedIndex: Int
  package let kind: AttentionKind
  package let headDimension: Int
  package let keyValueHeads: Int
  package private(set) var feedForwardWidth: Int
  /// Share of the gate that Gemma 3n sets to zero, below 1; 0 where nothing is.
  package let activationSparsity: Float
  /// The layer whose keys and values this one reads; nil where it owns its own.
  package private(set) var keyValueSource: Int?
  /// The values are the normalised key projection: there is no `v_proj`.
  package let valuesFromKeys: Bool
  package let rotary: RotaryConfiguration

  /// As a layer of a slice.
  func sliced(width: Int, keyValueSource: Int?) -> LayerConfiguration {
    var layer = self
    layer.feedForwardWidth = width
    layer.keyValueSource = keyValueSource
    return layer
  }
}

/// The checked content of a config.json: every number lies in its range, and the layers fit each other.
package struct ModelConfiguration: Sendable, Hashable {
  package let architecture: Architecture
  package let vocabularySize: Int
  /// Rows of the per-layer embedding table; ids beyond it use row 0.
  package let perLayerVocabularySize: Int
  package let hiddenSize: Int
  /// Width of one layer's share of the per-layer embeddings; 0 where there are none.
  package let perLayerInputSize: Int
  package let headCount: Int
  /// Positions a sliding layer sees, its own included.
  package let slidingWindow: Int
  package let maximumPositions: Int
  package let rmsNormEpsilon: Float
  /// c in c * tanh(x / c) over the logits; nil where they stay as they are.
  package let finalLogitSoftcap: Float?
  /// Factor of the attention scores: query_pre_attn_scalar^(-1/2) in Gemma 3, else 1.
  package let attentionScale: Float
  /// Inner width of Gemma 3n's learned residual (LAuReL); 0 in the other families.
  package let laurelRank: Int
  /// Gemma 3n scales the corrected stream before the per-layer gate.
  package let altupCorrectScale: Bool
  package private(set) var layers: [LayerConfiguration]
  /// Index of the first layer without keys and values of its own; `layers.count` where every layer owns them.
  package private(set) var firstSharedLayer: Int

  /// With these of its layers alone.
  func sliced(to layers: [LayerConfiguration], firstSharedLayer: Int) -> ModelConfiguration {
    var model = self
    model.layers = layers
    model.firstSharedLayer = firstSharedLayer
    return model
  }

  /// With no keys of its own: layer i reads those of another model's layer `sources[i]`.
  func reading(keysOf sources: [Int]) -> ModelConfiguration {
    let layers = zip(layers, sources).map { $0.sliced(width: $0.feedForwardWidth, keyValueSource: $1) }
    return sliced(to: layers, firstSharedLayer: 0)
  }
}
