import Foundation
import GemmaKernels
package import GemmaRuntime

extension Checkpoint {
  /// The matrix of a linear or embedding module, such as "layers.0.self_attn.q_proj": affine codes where
  /// "<module>.scales" is stored, else "<module>.weight" in f32, f16 or bf16.
  /// - Throws: `.malformedFile` naming the tensor that is missing or has another shape, `.unsupportedModel` for a
  ///   type without kernels.
  package func matrix(_ module: String, rows: Int, columns: Int) throws(GemmaError) -> WeightMatrix {
    let weightName = module + ".weight"
    guard contains(module + ".scales") else {
      let weight = try tensor(weightName, shape: [rows, columns])
      let raw = ck_matrix(
        data: address(weight), scales: nil, biases: nil, rows: rows, columns: columns, stride: columns, group: 0,
        type: try kernelType(weight, weightName), scale_type: .CK_F32)
      return WeightMatrix(
        raw: raw, file: weight.file, companions: [], name: module, byteCount: weight.entry.range.count)
    }
    guard let scheme = quantization?.scheme(of: module) else {
      throw .malformedFile(
        url.appendingPathComponent("config.json"),
        reason: "tensor \"\(module).scales\" is stored, but there is no quantization block")
    }
    guard columns % scheme.group == 0 else {
      throw .malformedFile(
        url, reason: "tensor \"\(weightName)\": \(columns) columns are no multiple of the group size \(scheme.group)")
    }
    let codes = try tensor(weightName, shape: [rows, columns / 32 * scheme.bits])
    guard codes.entry.type == .u32 else {
      throw .unsupportedModel("tensor \"\(weightName)\": expected U32 codes, found \(codes.entry.type.rawValue)")
    }
    let scales = try tensor(module + ".scales", shape: [rows, columns / scheme.group])
    let biases = try tensor(module + ".biases", shape: [rows, columns / scheme.group])
    let scaleType = try kernelType(scales, module + ".scales")
    guard biases.entry.type == scales.entry.type else {
      throw .unsupportedModel("tensor \"\(module).biases\": its type differs from that of the scales")
    }
    let raw = ck_matrix(
      data: address(codes), scales: address(scales), biases: address(biases), rows: rows, columns: columns,
      stride: columns, group: scheme.group, type: scheme.bits == 4 ? .CK_Q4 : .CK_Q8, scale_type: scaleType)
    return WeightMatrix(
      raw: raw, file: codes.file, companions: [scales.file, biases.file], name: module,
      byteCount: codes.entry.range.count + scales.entry.range.count + biases.entry.range.count)
  }

  /// The vector of this full name, such as "norm.weight"; `shift` is added to each element where it is used.
  package func vector(_ name: String, count: Int, shift: Float) throws(GemmaError) -> WeightVector {
    let stored = try tensor(name, shape: [count])
    let raw = ck_vector(data: address(stored), type: try kernelType(stored, name), shift: shift)
    return WeightVector(raw: raw, count: count, name: name, file: stored.file)
  }

  /// A single value, stored with the shape [1] or [].
  package func scalar(_ name: String) throws(GemmaError) -> Float {
    let stored = try storage[name]?.entry.shape == [] ? tensor(name, shape: []) : tensor(name, shape: [1])
    let bytes = UnsafeRawBufferPointer(rebasing: stored.file.bytes[stored.entry.range])
    switch try kernelType(stored, name) {
    case .CK_F32: return Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
    case .CK_F16: return HalfPrecision.float(UInt16(littleEndian: bytes.loadUnaligned(as: UInt16.self)))
    default: return BrainFloat.float(UInt16(littleEndian: bytes.loadUnaligned(as: UInt16.self)))
    }
  }

  func tensor(_ name: String, shape: [Int]) throws(GemmaError) -> Tensor {
    guard let stored = storage[name] else {
      throw .malformedFile(url, reason: "tensor \"\(name)\" is missing, expected with the shape \(shape)\(gapHint)")
    }
    guard stored.entry.shape == shape else {
      throw .malformedFile(
        stored.file.url, reason: "tensor \"\(name)\": expected the shape \(shape), found \(stored.entry.shape)")
    }
    return stored
  }

  private func kernelType(_ tensor: Tensor, _ name: String) throws(GemmaError) -> ck_type {
    guard let type = tensor.entry.type.kernelType else {
      throw .unsupportedModel("tensor \"\(name)\": expected F32, F16 or BF16, found \(tensor.entry.type.rawValue)")
    }
    return type
  }

  private func address(_ tensor: Tensor) -> UnsafeRawPointer? {
    tensor.file.bytes.baseAddress.map { $0 + tensor.entry.range.lowerBound }
  }
}
