import Foundation
import GemmaKernels
import GemmaRuntime

/// The tensors of all files of a model, under the names that this package uses: without an exporter's prefix, such as
/// "layers.0.self_attn.k_proj.weight".
struct TensorStore: Sendable {
  /// The model's folder, for errors.
  let url: URL
  let tensors: [String: StoredTensor]
  let containers: [Container]

  subscript(name: String) -> StoredTensor? { tensors[name] }

  func contains(_ name: String) -> Bool { tensors[name] != nil }

  /// The tensor of this name, which must have this shape.
  /// - Throws: `.malformedFile` naming the tensor where it is missing or has another shape.
  func tensor(_ name: String, shape: [Int]) throws(GemmaError) -> StoredTensor {
    guard let stored = tensors[name] else {
      throw .malformedFile(url, reason: "tensor \"\(name)\" is missing, expected with the shape \(shape)\(gapHint)")
    }
    guard stored.shape == shape else {
      throw .malformedFile(
        stored.file.url, reason: "tensor \"\(name)\": expected the shape \(shape), found \(stored.shape)")
    }
    return stored
  }

  /// The same, of numbers that the kernels read.
  /// - Throws: Also `.unsupportedModel` for a type without kernels.
  func numbers(_ name: String, shape: [Int]) throws(GemmaError) -> (tensor: StoredTensor, type: ck_type) {
    let stored = try tensor(name, shape: shape)
    return (stored, try kernelType(of: stored, name))
  }

  /// The type of the numbers of a tensor with this name, if the kernels read it.
  func kernelType(of tensor: StoredTensor, _ name: String) throws(GemmaError) -> ck_type {
    guard let type = tensor.type.kernelType else {
      throw .unsupportedModel("tensor \"\(name)\": expected F32, F16 or BF16, found \(tensor.type.rawValue)")
    }
    return type
  }

  /// What the error about a missing tensor adds where the files have room for one.
  private var gapHint: String {
    let gaps = containers.compactMap { container in
      container.gap.map { "; in \(container.file.url.lastPathComponent), \($0)" }
    }
    return (gaps.first ?? "") + "; download the model again"
  }
}
