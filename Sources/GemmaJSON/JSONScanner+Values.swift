extension JSONScanner {
  /// The next value, whatever it is.
  package mutating func value() throws(JSONFault) -> JSONValue {
    switch peek() {
    case 0x7B: return .object(try object())
    case 0x5B: return .array(try list())
    case 0x22: return .string(try string())
    case 0x74, 0x66: return .boolean(try boolean())
    case 0x6E:
      try literal("null")
      return .null
    case 0x2D, 0x30...0x39: return .number(try number())
    default: throw missingValue()
    }
  }

  private mutating func object() throws(JSONFault) -> JSONObject {
    try open("{")
    var keys = JSONKeys()
    var values: [JSONValue] = []
    while try nextKey(&keys) != nil { values.append(try value()) }
    return JSONObject(keys, values)
  }

  private mutating func list() throws(JSONFault) -> [JSONValue] {
    try open("[")
    var values: [JSONValue] = []
    var isFirst = true
    while try hasNext(&isFirst, closing: "]") { values.append(try value()) }
    return values
  }

  /// Steps over one value of any kind.
  package mutating func skipValue() throws(JSONFault) {
    switch peek() {
    case 0x7B:
      try open("{")
      var keys = JSONKeys()
      while try nextKey(&keys) != nil { try skipValue() }
    case 0x5B:
      try open("[")
      var isFirst = true
      while try hasNext(&isFirst, closing: "]") { try skipValue() }
    case 0x22: try skipString()
    case 0x74, 0x66: _ = try boolean()
    case 0x6E: try literal("null")
    case 0x2D, 0x30...0x39: _ = try number()
    default: throw missingValue()
    }
  }

  private func missingValue() -> JSONFault {
    fault(position < count ? "expected a value" : "the text ends where a value should be")
  }
}
