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
    storage.map { name, tensor in
      let elements = tensor.entry.range.count / tensor.entry.type.byteCount
      let scheme = codes(name, tensor)
      return TensorInfo(
        name: name, type: tensor.entry.type.rawValue, shape: tensor.entry.shape,
        byteCount: tensor.entry.range.count, fileName: tensor.file.url.lastPathComponent,
        parameterCount: scheme.map { elements * 32 / $0.bits } ?? (isCompanion(name) ? 0 : elements),
        bits: scheme?.bits ?? tensor.entry.type.byteCount * 8, groupSize: scheme?.group)
    }
    .sorted { $0.name < $1.name }
  }

  private func codes(_ name: String, _ tensor: Tensor) -> QuantizationSettings.Scheme? {
    guard tensor.entry.type == .u32, name.hasSuffix(".weight") else { return nil }
    let module = String(name.dropLast(".weight".count))
    return contains(module + ".scales") ? quantization?.scheme(of: module) : nil
  }

  /// Whether a tensor holds scales or biases of codes.
  private func isCompanion(_ name: String) -> Bool {
    for suffix in [".scales", ".biases"] where name.hasSuffix(suffix) {
      let weight = String(name.dropLast(suffix.count)) + ".weight"
      return storage[weight].map { codes(weight, $0) != nil } ?? false
    }
    return false
  }
}
