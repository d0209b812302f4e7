import GemmaKernels
import GemmaWeights

/// What decides the size of a cache.
struct CacheShape {
  let contextLength: Int
  let window: Int
  /// The most tokens that go through the layers together: a chunk of the prompt, or a round of drafts.
  let chunk: Int
  let type: ck_type

  init(_ model: ModelConfiguration, contextLength: Int, options: ComputeOptions) {
    self.contextLength = contextLength
    window = model.slidingWindow
    chunk = min(max(options.prefillChunk, Workspace.logitRows), contextLength)
    type =
      switch options.keyValueCache {
      case .int8: .CK_I8
      case .bf16: .CK_BF16
      case nil: options.float32Activations ? .CK_F32 : .CK_BF16
      }
  }

  func capacity(_ layer: LayerConfiguration) -> Int {
    let tile = Int(CK_ATTENTION_TILE)
    let positions = layer.kind == .sliding ? min(contextLength, window - 1 + chunk) : contextLength
    return (positions + tile - 1) / tile * tile
  }

  /// Bytes of keys, values and scales.
  func byteCount(_ layer: LayerConfiguration) -> Int {
    let scale = type == .CK_I8 ? MemoryLayout<Float>.size : 0
    return 2 * layer.keyValueHeads * capacity(layer) * (ck_stored_bytes(type, layer.headDimension) + scale)
  }
}
