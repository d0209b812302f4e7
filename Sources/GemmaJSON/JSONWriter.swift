/// Writes a `JSONValue` as text (RFC 8259): members in their order, numbers as they are written.
package enum JSONWriter {
  /// `indent` is the width of one level of objects, each member of which gets a line of its own; lists and what is in
  /// them stay on one line. Nil writes everything on one line.
  package static func text(_ value: JSONValue, indent: Int? = nil) -> String {
    var text = ""
    write(value, indent: indent, depth: 0, to: &text)
    return text
  }

  private static func write(_ value: JSONValue, indent: Int?, depth: Int, to text: inout String) {
    switch value {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .number(let value): text += value.text
    case .string(let value): quote(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += ", " }
        write(value, indent: nil, depth: depth, to: &text)
      }
      text += "]"
    case .object(let object):
      text += "{"
      for (index, (key, value)) in object.enumerated() {
        if index > 0 { text += "," }
        if let indent { text += "\n" + String(repeating: " ", count: indent * (depth + 1)) }
        quote(key, to: &text)
        text += indent == nil ? ":" : ": "
        write(value, indent: indent, depth: depth + 1, to: &text)
      }
      if let indent, !object.isEmpty { text += "\n" + String(repeating: " ", count: indent * depth) }
      text += "}"
    }
  }

  /// Escapes what must be: quotes, backslashes and control characters, by their short names where they have one.
  private static func quote(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{8}": text += "\\b"
      case "\u{C}": text += "\\f"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
