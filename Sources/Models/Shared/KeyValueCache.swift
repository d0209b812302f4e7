import CKernels
import Tensors
import Weights

/// Keys and values of one owning layer: [key heads, capacity, head size] each, position p in slot p mod capacity.
///
/// Full layers keep every position of the context. Sliding layers keep a ring just large enough that a chunk can be
/// written before its first row attends: window - 1 positions in front of it and the chunk itself.
struct KeyValueCache {
  let capacity: Int
  let type: ck_type
  private let heads: Int
  private let dimension: Int
  private let buffer: PoolBuffer

  init(_ layer: LayerConfiguration, _ shape: CacheShape) throws(GemmaError) {
    capacity = shape.capacity(layer)
    type = shape.type
    heads = layer.keyValueHeads
    dimension = layer.headDimension
    buffer = try PoolBuffer(byteCount: shape.byteCount(layer))
  }

  var keys: UnsafeMutableRawPointer { buffer.base }
  var values: UnsafeMutableRawPointer { buffer.base + buffer.byteCount / 2 }

  var heldBytes: Int { BufferPool.rounded(buffer.byteCount) }

  /// Stores one position: key and value are [key heads, head size].
  func store(position: Int, key: UnsafePointer<Float>, value: UnsafePointer<Float>) {
    let bytes = CacheShape.elementSize(type)
    for head in 0..<heads {
      let offset = (head * capacity + position % capacity) * dimension * bytes
      ck_store(keys + offset, type, key + head * dimension, dimension)
      ck_store(values + offset, type, value + head * dimension, dimension)
    }
  }
}

/// What decides the size of a cache.
struct CacheShape {
  let contextLength: Int
  let window: Int
  let chunk: Int
  let type: ck_type

  init(_ model: ModelConfiguration, contextLength: Int, options: ComputeOptions) {
    self.contextLength = contextLength
    window = model.slidingWindow
    chunk = min(options.prefillChunk, contextLength)
    type = options.float32Activations ? .CK_F32 : .CK_BF16
  }

  static func elementSize(_ type: ck_type) -> Int { type == .CK_F32 ? 4 : 2 }

  func capacity(_ layer: LayerConfiguration) -> Int {
    let block = Int(CK_ATTENTION_BLOCK)
    let positions = layer.kind == .sliding ? min(contextLength, window - 1 + chunk) : contextLength
    return (positions + block - 1) / block * block
  }

  /// Bytes of keys and values.
  func byteCount(_ layer: LayerConfiguration) -> Int {
    2 * layer.keyValueHeads * capacity(layer) * layer.headDimension * Self.elementSize(type)
  }
}
