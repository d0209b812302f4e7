/// Writes a `JSONValue` as text; keys are sorted, so that the same value always gives the same bytes.
package enum JSONWriter {
  /// `indent` is the width of one level; nil writes everything on one line.
  package static func text(_ value: JSONValue, indent: Int? = nil) -> String {
    var text = ""
    write(value, indent: indent, depth: 0, to: &text)
    return text
  }

  private static func write(_ value: JSONValue, indent: Int?, depth: Int, to text: inout String) {
    switch value {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value): text += String(value)
    case .string(let value): quote(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += ", " }
        write(value, indent: nil, depth: depth, to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, (key, value)) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { text += "," }
        if let indent { text += "\n" + String(repeating: " ", count: indent * (depth + 1)) }
        quote(key, to: &text)
        text += indent == nil ? ":" : ": "
        write(value, indent: indent, depth: depth + 1, to: &text)
      }
      if let indent, !members.isEmpty { text += "\n" + String(repeating: " ", count: indent * depth) }
      text += "}"
    }
  }

  private static func quote(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
