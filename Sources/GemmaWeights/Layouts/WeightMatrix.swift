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
  package var isQuantized: Bool { raw.isQuantized }

  /// The rows `rows` and the first `columns` columns, where they lie; the file is not read. Columns must be a multiple
  /// of the group size in a quantised matrix, and everything must lie inside this one.
  package func part(rows: Range<Int>, columns: Int) -> WeightMatrix {
    precondition(rows.lowerBound >= 0 && rows.upperBound <= self.rows && columns <= self.columns)
    precondition(!isQuantized || columns % Int(raw.group) == 0)
    var part = raw
    part.rows = rows.count
    part.columns = columns
    let stride = Int(raw.stride)
    part.data = raw.data.map { $0 + rows.lowerBound * stride * raw.type.bits / 8 }
    if isQuantized {
      let offset = rows.lowerBound * (stride / Int(raw.group)) * raw.scale_type.bits / 8
      part.scales = raw.scales.map { $0 + offset }
      part.biases = raw.biases.map { $0 + offset }
    }
    let share = Double(rows.count * columns) / Double(max(self.rows * self.columns, 1))
    return WeightMatrix(
      raw: part, file: file, companions: companions, name: name, byteCount: Int(Double(byteCount) * share))
  }

  /// Tells the system that the columns `columns` of these rows, in ascending order, are about to be read.
  package func adviseNeeded(rows: some Sequence<Int>, columns: Range<Int>) {
    func advise(_ base: UnsafeRawPointer?, bits: Int, per group: Int) {
      guard let base else { return }
      let rowBytes = Int(raw.stride) / group * bits / 8
      let (begin, end) = (columns.lowerBound / group * bits / 8, (columns.upperBound + group - 1) / group * bits / 8)
      MappedFile.adviseNeeded(
        rows.lazy.map { UnsafeRawBufferPointer(start: base + $0 * rowBytes + begin, count: end - begin) })
    }
    advise(raw.data, bits: raw.type.bits, per: 1)
    if isQuantized {
      advise(raw.scales, bits: raw.scale_type.bits, per: Int(raw.group))
      advise(raw.biases, bits: raw.scale_type.bits, per: Int(raw.group))
    }
  }
}

extension ck_matrix {
  package var isQuantized: Bool { type == .CK_Q4 || type == .CK_Q8 }

  /// Bytes of the columns of one row, with its scales and biases.
  package var rowBytes: Int { ck_row_bytes(self) }
}

extension ck_type {
  /// Bits of an element.
  package var bits: Int {
    switch self {
    case .CK_Q4: 4
    case .CK_Q8, .CK_I8: 8
    case .CK_F32: 32
    case .CK_F16, .CK_BF16: 16
    }
  }
}

/// A weight vector as it lies in a mapped checkpoint.
/// Sendable although it holds a pointer: it leads into a read-only mapping that `file` keeps alive.
package struct WeightVector: @unchecked Sendable {
  package let raw: ck_vector
  package let count: Int
  package let name: String
  package let file: MappedFile
}
