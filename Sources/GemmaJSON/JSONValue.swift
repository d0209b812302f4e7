/// A JSON value as it was written: numbers with their text, members in their order.
package enum JSONValue: Sendable {
  case null
  case boolean(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// The one value in `bytes`, with white space around it or none. See ``JSONScanner`` for what is refused.
  package init(parsing bytes: UnsafeRawBufferPointer) throws(JSONFault) {
    var scanner = JSONScanner(bytes)
    self = try scanner.value()
    try scanner.expectEnd()
  }

  package static func integer(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }

  /// Nil for everything but a number that is written without fraction and exponent and fits into 64 bits.
  package var integer: Int? { if case .number(let number) = self { number.integer } else { nil } }

  /// With the keys of all objects in it in the order of their bytes.
  package var sorted: JSONValue {
    switch self {
    case .array(let values): .array(values.map(\.sorted))
    case .object(let object): .object(object.sorted)
    default: self
    }
  }

  /// What an error message calls this value; what is long is cut.
  package var description: String {
    switch self {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .number(let value): value.description
    case .string(let value): "\"\(value.prefix(60))\""
    case .array(let values): "a list of \(values.count)"
    case .object: "an object"
    }
  }
}

extension JSONValue: Hashable {
  /// Strings are equal where their bytes are, numbers where they mean the same, objects in whatever order.
  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): JSONKeys.areSame(left, right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .boolean(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .array(let values): hasher.combine(values)
    case .object(let object): hasher.combine(object)
    }
  }
}
