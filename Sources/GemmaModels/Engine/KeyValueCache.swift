import GemmaKernels
import GemmaRuntime
import GemmaWeights

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

  // One after the other: keys, values and, for int8, the scales of the keys' rows and of the values' rows.
  var keys: UnsafeMutableRawPointer { buffer.base }
  var values: UnsafeMutableRawPointer { buffer.base + heads * capacity * rowBytes }
  var keyScales: UnsafeMutablePointer<Float>? { scales(0) }
  var valueScales: UnsafeMutablePointer<Float>? { scales(1) }

  /// Bytes of one position.
  var positionBytes: Int { 2 * heads * (rowBytes + (type == .CK_I8 ? MemoryLayout<Float>.size : 0)) }

  var heldBytes: Int { BufferPool.rounded(buffer.byteCount) }

  private var rowBytes: Int { ck_stored_bytes(type, dimension) }

  private func scales(_ index: Int) -> UnsafeMutablePointer<Float>? {
    guard type == .CK_I8 else { return nil }
    let first = buffer.base + 2 * heads * capacity * rowBytes
    return first.assumingMemoryBound(to: Float.self) + index * heads * capacity
  }

  /// Stores one position: key and value are [key heads, head size].
  func store(position: Int, key: UnsafePointer<Float>, value: UnsafePointer<Float>) {
    for head in 0..<heads {
      let slot = head * capacity + position % capacity
      store(key + head * dimension, in: keys, keyScales, slot)
      store(value + head * dimension, in: values, valueScales, slot)
    }
  }

  private func store(
    _ row: UnsafePointer<Float>, in rows: UnsafeMutableRawPointer, _ scales: UnsafeMutablePointer<Float>?, _ slot: Int
  ) {
    let target = rows + slot * rowBytes
    guard let scales else { return ck_store(target, type, row, dimension) }
    var sum: Float = 0  // that activations have and caches do not need
    withUnsafeMutablePointer(to: &sum) { sum in
      let quantized = ck_activations(
        values: target.assumingMemoryBound(to: Int8.self), scales: scales + slot, sums: sum, columns: dimension,
        stride: dimension, group: dimension, order: .CK_NATURAL)
      ck_quantize_activations(quantized, row, dimension, 0, 1)
    }
  }
}
