package import GemmaKernels
package import GemmaRuntime

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
  /// Whether its format takes int8 activations.
  package var isQuantized: Bool { ck_activation_group(raw) > 0 }
  /// Rows can be cut at multiples of so many columns.
  package var columnStep: Int { ck_column_step(raw) }

  /// The rows `rows` and the first `columns` columns, where they lie; the file is not read. Columns must be a multiple
  /// of `columnStep`, and everything must lie inside this one.
  package func part(rows: Range<Int>, columns: Int) -> WeightMatrix {
    precondition(rows.lowerBound >= 0 && rows.upperBound <= self.rows && columns <= self.columns)
    precondition(columns % columnStep == 0)
    let part = ck_slice(raw, rows.lowerBound, rows.count, 0, columns)
    return WeightMatrix(
      raw: part, file: file, companions: companions, name: name, byteCount: rows.count * ck_row_bytes(part))
  }

  /// Tells the system that the columns `columns` of these rows, in ascending order, are about to be read.
  package func adviseNeeded(rows: some Sequence<Int>, columns: Range<Int>) {
    for part in 0..<Int(CK_PART_COUNT) {
      guard let base = ck_part_address(raw, part, 0, 0), let first = ck_part_address(raw, part, 0, columns.lowerBound)
      else { continue }
      let (begin, end) = (first - base, ck_part_bytes(raw, part, columns.upperBound))
      let stride = ck_part_stride(raw, part)
      MappedFile.adviseNeeded(
        rows.lazy.map { UnsafeRawBufferPointer(start: first + $0 * stride, count: end - begin) })
    }
  }
}
