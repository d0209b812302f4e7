import Foundation
import GemmaJSON
import GemmaRuntime

/// A mapped safetensors file: 8 bytes of header length (little-endian), a JSON header, then the tensors' bytes.
///
/// Everything the header claims is checked against the file before anything is believed: after `init`, each entry's
/// range lies inside the mapping and holds exactly the bytes of its shape, and no two ranges overlap. Bytes that belong
/// to no entry are recorded, not refused: most likely the header lacks a tensor, and only whoever knows the architecture
/// can name it.
struct SafetensorsFile: Sendable {
  struct Entry: Sendable {
    let type: ElementType
    let shape: [Int]
    let range: Range<Int>  // bytes within the file
  }

  /// As the format's own reader has it; real headers have a few hundred kilobytes.
  private static let largestHeader = 100_000_000

  let file: MappedFile
  let entries: [String: Entry]
  /// Where bytes of no tensor lie, in words; nil where the tensors fill the file, as the format demands.
  let gap: String?

  init(_ url: URL) throws(GemmaError) {
    file = try MappedFile(url)
    let bytes = file.bytes
    guard bytes.count >= 8 else { throw .malformedFile(url, reason: "\(bytes.count) bytes are no safetensors file") }
    let length = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    guard length <= UInt64(bytes.count - 8), length <= UInt64(Self.largestHeader) else {
      throw .malformedFile(url, reason: "the header claims \(length) bytes, the file has \(bytes.count)")
    }
    let dataStart = 8 + Int(length)
    let header: JSONValue
    do throws(JSONFault) {
      header = try JSONValue(parsing: UnsafeRawBufferPointer(rebasing: bytes[8..<dataStart]))
    } catch {
      throw .malformedFile(url, reason: "header: \(error.reason) (byte \(error.offset))")
    }
    guard case .object(let members) = header else { throw .malformedFile(url, reason: "the header is no object") }
    var entries: [String: Entry] = [:]
    entries.reserveCapacity(members.count)
    for (name, value) in members where name != "__metadata__" {
      entries[name] = try Self.entry(name, value, url, dataStart: dataStart)
    }
    gap = try Self.gap(entries, url, from: dataStart, to: bytes.count)
    self.entries = entries
  }

  private static func entry(
    _ name: String, _ value: JSONValue, _ url: URL, dataStart: Int
  ) throws(GemmaError) -> Entry {
    func error(_ reason: String) -> GemmaError { .malformedFile(url, reason: "tensor \"\(name)\": \(reason)") }
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
    return Entry(type: type, shape: shape, range: (dataStart + begin)..<absoluteEnd)
  }

  /// The first bytes without a tensor. Throws where tensors overlap or pass the end.
  private static func gap(
    _ entries: [String: Entry], _ url: URL, from start: Int, to end: Int
  ) throws(GemmaError) -> String? {
    let sorted = entries.sorted {
      ($0.value.range.lowerBound, $0.value.range.upperBound) < ($1.value.range.lowerBound, $1.value.range.upperBound)
    }
    var position = start
    var gap: String?
    for (name, entry) in sorted {
      guard entry.range.lowerBound >= position else {
        throw .malformedFile(url, reason: "tensor \"\(name)\" overlaps the one before it; download the file again")
      }
      if entry.range.lowerBound > position {
        gap = gap ?? "\(entry.range.lowerBound - position) bytes before tensor \"\(name)\" belong to no tensor"
      }
      position = entry.range.upperBound
    }
    guard position <= end else {
      throw .malformedFile(
        url,
        reason: "the tensors end at byte \(position), the file at byte \(end): it was cut short; download it again")
    }
    return gap ?? (position < end ? "the last \(end - position) bytes belong to no tensor" : nil)
  }
}
