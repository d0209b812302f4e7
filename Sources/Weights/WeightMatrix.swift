package import CKernels
package import Tensors

/// A weight matrix [rows, columns] as it lies in a mapped checkpoint.
/// Sendable although it holds pointers: they lead into a read-only mapping that `file` keeps alive (codes, scales and
/// biases may lie in different shards; `companions` keeps those).
package struct WeightMatrix: @unchecked Sendable {
  package let raw: ck_matrix
  package let file: MappedFile
  let companions: [MappedFile]
  /// The module, such as "layers.0.self_attn.q_proj".
  package let name: String
  /// Stored bytes, with scales and biases.
  package let byteCount: Int

  package var rows: Int { Int(raw.rows) }
  package var columns: Int { Int(raw.columns) }
  package var isQuantized: Bool { raw.type == .CK_Q4 || raw.type == .CK_Q8 }
}

/// A weight vector as it lies in a mapped checkpoint.
/// Sendable although it holds a pointer: it leads into a read-only mapping that `file` keeps alive.
package struct WeightVector: @unchecked Sendable {
  package let raw: ck_vector
  package let count: Int
  package let name: String
  package let file: MappedFile
}

/// One stored tensor, as `inspect` lists it.
package struct TensorInfo: Sendable, Hashable {
  /// Without the exporter's prefix.
  package let name: String
  /// As the file writes it, such as "BF16".
  package let type: String
  package let shape: [Int]
  package let byteCount: Int
  package let fileName: String
}
