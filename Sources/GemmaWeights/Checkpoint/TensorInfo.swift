import Foundation
import GemmaRuntime

/// One stored tensor, as `inspect` lists it.
package struct TensorInfo: Sendable, Hashable {
  /// Without the exporter's prefix.
  package let name: String
  /// As the file writes it, such as "BF16".
  package let type: String
  package let shape: [Int]
  package let byteCount: Int
  package let fileName: String
  /// Parameters of the model in it: codes are counted one by one, scales and biases of quantised matrices not at all.
  package let parameterCount: Int
  /// Bits of one element, which is one code in a quantised matrix.
  package let bits: Int
  /// Weights that share a scale; nil where the tensor holds no codes.
  package let groupSize: Int?
}

extension Checkpoint {
  /// All stored tensors by name, those of towers included.
  package var tensors: [TensorInfo] {
    store.tensors.map { name, tensor in
      let content = content(of: name, tensor)
      return TensorInfo(
        name: name, type: tensor.type.rawValue, shape: tensor.shape, byteCount: tensor.byteCount,
        fileName: tensor.file.url.lastPathComponent, parameterCount: content.parameterCount, bits: content.bits,
        groupSize: content.groupSize)
    }
    .sorted { $0.name < $1.name }
  }

  private func content(of name: String, _ tensor: StoredTensor) -> TensorContent {
    for layout in layouts {
      if let content = layout.content(of: name, in: store) { return content }
    }
    return PlainLayout.content(of: tensor)
  }
}
