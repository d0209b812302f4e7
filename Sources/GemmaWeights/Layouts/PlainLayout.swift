import GemmaKernels
import GemmaRuntime

/// Weights in f32, f16 or bf16, one tensor each: what every checkpoint has for its vectors, and for the matrices that
/// no other layout claims.
enum PlainLayout {
  static func matrix(
    _ module: String, rows: Int, columns: Int, in store: TensorStore
  ) throws(GemmaError) -> WeightMatrix {
    let (weight, type) = try store.numbers(module + ".weight", shape: [rows, columns])
    let raw = ck_matrix(
      data: weight.address, scales: nil, biases: nil, rows: rows, columns: columns, stride: columns, group: 0,
      type: type, scale_type: .CK_F32)
    return WeightMatrix(raw: raw, file: weight.file, companions: [], name: module, byteCount: weight.byteCount)
  }

  static func vector(
    _ name: String, count: Int, shift: Float, in store: TensorStore
  ) throws(GemmaError) -> WeightVector {
    let (stored, type) = try store.numbers(name, shape: [count])
    let raw = ck_vector(data: stored.address, type: type, shift: shift)
    return WeightVector(raw: raw, count: count, name: name, file: stored.file)
  }

  /// A single value, stored with the shape [1] or [].
  static func scalar(_ name: String, in store: TensorStore) throws(GemmaError) -> Float {
    let (stored, type) = try store.numbers(name, shape: store[name]?.shape == [] ? [] : [1])
    return StoredFloats.read(stored.bytes, type, count: 1)[0]
  }

  static func content(of tensor: StoredTensor) -> TensorContent {
    TensorContent(parameterCount: tensor.elementCount, bits: tensor.type.byteCount * 8, groupSize: nil)
  }
}
