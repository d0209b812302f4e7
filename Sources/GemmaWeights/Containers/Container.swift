import Foundation
import GemmaJSON
import GemmaRuntime

/// A mapped file of stored tensors, of whatever format, checked: each tensor's range lies inside the file and holds
/// exactly the bytes of its shape, and no two ranges overlap. Bytes that belong to no tensor are recorded, not refused:
/// most likely the file's header lacks a tensor, and only whoever knows the architecture can name it.
struct Container: Sendable {
  let file: MappedFile
  /// By stored name.
  let tensors: [String: StoredTensor]
  /// What else the header says.
  let metadata: JSONObject
  /// Where bytes of no tensor lie, in words; nil where the tensors fill the file.
  let gap: String?

  /// Opens a file of any known format. A new one gets a reader beside `SafetensorsReader` and is told apart here.
  init(contentsOf url: URL) throws(GemmaError) { self = try SafetensorsReader.read(url) }

  /// - Parameter dataStart: Where the tensors' bytes begin, which end with the file.
  init(
    _ file: MappedFile, _ tensors: [String: StoredTensor], metadata: JSONObject, dataStart: Int
  ) throws(GemmaError) {
    self.file = file
    self.tensors = tensors
    self.metadata = metadata
    gap = try Self.gap(tensors, file.url, from: dataStart, to: file.bytes.count)
  }

  /// The first bytes without a tensor. Throws where tensors overlap or lie beyond the end.
  private static func gap(
    _ tensors: [String: StoredTensor], _ url: URL, from start: Int, to end: Int
  ) throws(GemmaError) -> String? {
    let sorted = tensors.values.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    var position = start
    var gap: String?
    for tensor in sorted {
      guard tensor.range.lowerBound >= position else {
        throw .malformedFile(
          url, reason: "tensor \"\(tensor.name)\" overlaps the one before it; download the file again")
      }
      if tensor.range.lowerBound > position {
        gap = gap ?? "\(tensor.range.lowerBound - position) bytes before tensor \"\(tensor.name)\" belong to no tensor"
      }
      position = tensor.range.upperBound
    }
    guard position <= end else {
      throw .malformedFile(
        url,
        reason: "the tensors end at byte \(position), the file at byte \(end): it was cut short; download it again")
    }
    return gap ?? (position < end ? "the last \(end - position) bytes belong to no tensor" : nil)
  }
}
