import Foundation
import GemmaJSON

/// The front of a safetensors file in the making: tensors lie in the order in which they are added.
struct SafetensorsHeader {
  private var members: JSONObject
  /// Bytes of the tensors so far, where the next one begins.
  private(set) var dataBytes = 0

  init(format: String) { members = ["__metadata__": .object(["format": .string(format)])] }

  mutating func add(_ name: String, _ type: ElementType, _ shape: [Int]) {
    let end = dataBytes + shape.reduce(type.byteCount, *)
    members[name] = .object([
      "dtype": .string(type.rawValue), "shape": .array(shape.map { .integer($0) }),
      "data_offsets": .array([.integer(dataBytes), .integer(end)]),
    ])
    dataBytes = end
  }

  /// Everything in front of the tensors' bytes, which begin at a multiple of 8.
  var bytes: Data {
    var text = Data(JSONWriter.text(.object(members.sorted)).utf8)
    text.append(Data(repeating: 0x20, count: (8 - text.count % 8) % 8))
    return withUnsafeBytes(of: UInt64(text.count).littleEndian) { Data($0) } + text
  }
}
