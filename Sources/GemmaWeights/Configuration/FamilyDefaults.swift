/// The values transformers 5.24 assumes for keys that a config.json leaves out. Saving there drops keys that equal
/// these, so that a checkpoint may rely on them. Widths and the number of layers are always written, and have none.
struct FamilyDefaults {
  let architecture: Architecture
  let vocabularySize: Int
  let headCount: Int
  let keyValueHeads: Int
  let slidingWindow: Int
  let maximumPositions: Int
  /// Width of one layer's per-layer embeddings; nil where the family has no such key.
  let perLayerInputSize: Int?
  let finalLogitSoftcap: Double?
  let sharedLayers: Int
  /// Every n-th layer is a full one where `layer_types` is missing.
  let fullLayerPeriod: Int

  /// By `model_type`, of the text part or of the whole model.
  static func of(modelType: String) -> FamilyDefaults? {
    switch modelType {
    case "gemma3", "gemma3_text":
      FamilyDefaults(
        architecture: .gemma3, vocabularySize: 262_208, headCount: 8, keyValueHeads: 4, slidingWindow: 4096,
        maximumPositions: 131_072, perLayerInputSize: nil, finalLogitSoftcap: nil, sharedLayers: 0,
        fullLayerPeriod: 6)
    case "gemma3n", "gemma3n_text":
      FamilyDefaults(
        architecture: .gemma3n, vocabularySize: 262_400, headCount: 8, keyValueHeads: 2, slidingWindow: 512,
        maximumPositions: 32_768, perLayerInputSize: 256, finalLogitSoftcap: 30, sharedLayers: 15,
        fullLayerPeriod: 5)
    case "gemma4", "gemma4_text":
      FamilyDefaults(
        architecture: .gemma4, vocabularySize: 262_144, headCount: 8, keyValueHeads: 4, slidingWindow: 512,
        maximumPositions: 131_072, perLayerInputSize: 256, finalLogitSoftcap: nil, sharedLayers: 0,
        fullLayerPeriod: 6)
    case "gemma4_unified", "gemma4_unified_text":
      FamilyDefaults(
        architecture: .gemma4, vocabularySize: 262_144, headCount: 8, keyValueHeads: 4, slidingWindow: 1024,
        maximumPositions: 262_144, perLayerInputSize: 0, finalLogitSoftcap: nil, sharedLayers: 0,
        fullLayerPeriod: 6)
    default: nil
    }
  }
}
