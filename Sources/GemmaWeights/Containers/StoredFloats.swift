import Foundation
import GemmaKernels

/// Plain numbers in the file's byte order, which is that of all supported machines, to float32 and back. The kernels
/// convert them: Swift has no Float16 on Intel Macs.
enum StoredFloats {
  /// The first `count` numbers of a type that the kernels read.
  static func read(_ bytes: UnsafeRawBufferPointer, _ type: ck_type, count: Int) -> [Float] {
    precondition(ck_stored_bytes(type, count) <= bytes.count)
    let row = ck_matrix(
      data: bytes.baseAddress, scales: nil, biases: nil, rows: 1, columns: count, stride: count, group: 0, type: type,
      scale_type: .CK_F32)
    return [Float](unsafeUninitializedCapacity: count) { values, initialized in
      var id: Int32 = 0
      if count > 0 { ck_gather_rows(values.baseAddress, count, row, &id, 1, 0, count, 1) }
      initialized = count
    }
  }

  /// The nearest numbers of a type that the kernels read, ties to even; beyond its largest one infinity.
  static func data(_ values: [Float], as type: ck_type) -> Data {
    var data = Data(count: ck_stored_bytes(type, values.count))
    data.withUnsafeMutableBytes { ck_store($0.baseAddress, type, values, values.count) }
    return data
  }
}
