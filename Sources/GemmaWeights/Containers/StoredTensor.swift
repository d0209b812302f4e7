import GemmaRuntime

/// A tensor as it lies in a mapped file, whatever the file's format.
struct StoredTensor: Sendable {
  /// As the file has it, with the exporter's prefix.
  let name: String
  let type: ElementType
  /// Rows before columns.
  let shape: [Int]
  let file: MappedFile
  /// Bytes within the file; they may begin anywhere.
  let range: Range<Int>

  var byteCount: Int { range.count }
  var elementCount: Int { byteCount / type.byteCount }

  /// Valid as long as `file` lives.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: file.bytes[range]) }
  var address: UnsafeRawPointer? { file.bytes.baseAddress.map { $0 + range.lowerBound } }
}
