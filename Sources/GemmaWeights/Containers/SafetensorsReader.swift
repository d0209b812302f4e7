import Foundation
import GemmaJSON
import GemmaRuntime

/// Reads safetensors files: 8 bytes of header length (little-endian), a JSON header, then the tensors' bytes.
///
/// Everything the header claims is checked against the file before anything is believed.
struct SafetensorsReader {
  /// As the format's own reader has it; real headers have a few hundred kilobytes.
  private static let largestHeader = 100_000_000
  private static let metadataKey = "__metadata__"

  private let file: MappedFile
  private let dataStart: Int

  static func read(_ url: URL) throws(GemmaError) -> Container {
    let file = try MappedFile(url)
    let bytes = file.bytes
    guard bytes.count >= 8 else { throw .malformedFile(url, reason: "\(bytes.count) bytes are no safetensors file") }
    let length = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    guard length <= UInt64(bytes.count - 8), length <= UInt64(largestHeader) else {
      throw .malformedFile(url, reason: "the header claims \(length) bytes, the file has \(bytes.count)")
    }
    let reader = SafetensorsReader(file: file, dataStart: 8 + Int(length))
    return try reader.container(of: reader.header())
  }

  private func header() throws(GemmaError) -> JSONObject {
    let header: JSONValue
    do throws(JSONFault) {
      header = try JSONValue(parsing: UnsafeRawBufferPointer(rebasing: file.bytes[8..<dataStart]))
    } catch {
      throw .malformedFile(file.url, reason: "header: \(error.reason) (byte \(error.offset))")
    }
    guard case .object(let members) = header else { throw .malformedFile(file.url, reason: "the header is no object") }
    return members
  }

  private func container(of header: JSONObject) throws(GemmaError) -> Container {
    var tensors: [String: StoredTensor] = [:]
    tensors.reserveCapacity(header.count)
    for (name, value) in header where name != Self.metadataKey { tensors[name] = try tensor(name, value) }
    var metadata = JSONObject()
    if case .object(let members)? = header[Self.metadataKey] { metadata = members }
    return try Container(file, tensors, metadata: metadata, dataStart: dataStart)
  }

  private func tensor(_ name: String, _ value: JSONValue) throws(GemmaError) -> StoredTensor {
    func error(_ reason: String) -> GemmaError { .malformedFile(file.url, reason: "tensor \"\(name)\": \(reason)") }
    guard case .object(let fields) = value else { throw error("expected an object, found \(value.description)") }
    guard case .string(let typeName)? = fields["dtype"] else { throw error("expected a dtype") }
    guard let type = ElementType(rawValue: typeName) else { throw error("unknown dtype \"\(typeName.prefix(40))\"") }
    guard case .array(let dimensions)? = fields["shape"], dimensions.count <= 8 else {
      throw error("expected a shape of at most 8 dimensions")
    }
    var shape: [Int] = []
    var size = type.byteCount
    for dimension in dimensions {
      guard let extent = dimension.integer, extent >= 0 else {
        throw error("dimension \(dimension.description) is no whole number from 0")
      }
      let (product, overflow) = size.multipliedReportingOverflow(by: extent)
      guard !overflow else { throw error("the shape's size does not fit into 64 bits") }
      size = product
      shape.append(extent)
    }
    guard case .array(let offsets)? = fields["data_offsets"], offsets.count == 2,
      let begin = offsets[0].integer, let end = offsets[1].integer, begin >= 0, end >= begin
    else { throw error("data_offsets must be two whole numbers, the second not below the first") }
    guard end - begin == size else {
      throw error("data_offsets span \(end - begin) bytes, \(typeName) \(shape) needs \(size)")
    }
    let (absoluteEnd, overflow) = end.addingReportingOverflow(dataStart)
    guard !overflow else { throw error("data_offsets pass the end of the file") }
    return StoredTensor(name: name, type: type, shape: shape, file: file, range: (dataStart + begin)..<absoluteEnd)
  }
}
