/// A JSON document as it was written: whole numbers apart from fractions, Booleans apart from numbers.
package enum JSONValue: Sendable, Hashable {
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// What an error message calls this value; long strings are cut.
  package var description: String {
    switch self {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .number(let value): String(value)
    case .string(let value): "\"\(value.prefix(60))\""
    case .array(let values): "a list of \(values.count)"
    case .object: "an object"
    }
  }
}
