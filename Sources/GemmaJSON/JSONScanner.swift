/// A strict JSON reader (RFC 8259) for files of unknown origin.
///
/// Foundation's reader keeps the last of two equal keys, turns `1` and `true` into the same class and drops a byte
/// order mark at the start of a key; each of these would let a damaged file pass.
package struct JSONScanner {
  /// What is wrong and at which byte.
  package struct Failure: Error {
    package let reason: String
    package let offset: Int
  }

  /// Deeper nesting than any published file has by far, and far from the end of the stack.
  static let maximumDepth = 32

  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  private init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// The one value in `bytes`; blanks around it are allowed, anything else is an error.
  package static func parse(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> JSONValue {
    var scanner = JSONScanner(bytes)
    let value = try scanner.value(depth: 0)
    scanner.skipBlanks()
    guard scanner.position == bytes.count else { throw scanner.failure("text after the end of the document") }
    return value
  }

  private func failure(_ reason: String) -> Failure {
    Failure(reason: reason, offset: position)
  }

  private var current: UInt8? {
    position < bytes.count ? bytes[position] : nil
  }

  private mutating func skipBlanks() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(Failure) -> JSONValue {
    guard depth <= Self.maximumDepth else { throw failure("nested deeper than \(Self.maximumDepth) levels") }
    skipBlanks()
    switch current {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case nil: throw failure("the text ends where a value should be")
    default: return try number()
    }
  }

  private mutating func word(_ text: StaticString, _ value: JSONValue) throws(Failure) -> JSONValue {
    let length = text.utf8CodeUnitCount
    guard bytes.count - position >= length else { throw failure("expected \(text)") }
    for index in 0..<length where bytes[position + index] != text.utf8Start[index] {
      throw failure("expected \(text)")
    }
    position += length
    return value
  }

  private mutating func object(depth: Int) throws(Failure) -> JSONValue {
    position += 1
    var members: [String: JSONValue] = [:]
    skipBlanks()
    if take("}") { return .object(members) }
    while true {
      skipBlanks()
      guard current == UInt8(ascii: "\"") else { throw failure("expected a key in quotes") }
      let key = try string()
      skipBlanks()
      guard take(":") else { throw failure("expected a colon after the key") }
      let value = try value(depth: depth + 1)
      guard members.updateValue(value, forKey: key) == nil else {
        throw failure("the key \"\(key.prefix(120))\" appears twice")
      }
      skipBlanks()
      if take("}") { return .object(members) }
      guard take(",") else { throw failure("expected a comma or } in an object") }
    }
  }

  private mutating func array(depth: Int) throws(Failure) -> JSONValue {
    position += 1
    var values: [JSONValue] = []
    skipBlanks()
    if take("]") { return .array(values) }
    while true {
      values.append(try value(depth: depth + 1))
      skipBlanks()
      if take("]") { return .array(values) }
      guard take(",") else { throw failure("expected a comma or ] in a list") }
    }
  }

  private mutating func digits() -> Int {
    let start = position
    while let byte = current, byte >= 0x30, byte <= 0x39 { position += 1 }
    return position - start
  }

  private mutating func number() throws(Failure) -> JSONValue {
    let start = position
    var whole = true
    _ = take("-")
    let leadsWithZero = current == UInt8(ascii: "0")
    let count = digits()
    guard count > 0 else { throw failure("expected a value") }
    guard !leadsWithZero || count == 1 else { throw failure("a number starts with a needless zero") }
    if take(".") {
      whole = false
      guard digits() > 0 else { throw failure("a fraction without digits") }
    }
    if take("e") || take("E") {
      whole = false
      if !take("+") { _ = take("-") }
      guard digits() > 0 else { throw failure("an exponent without digits") }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if whole, let value = Int(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else { throw failure("the number \(text.prefix(40)) is too large") }
    return .number(value)
  }

  private mutating func string() throws(Failure) -> String {
    position += 1
    let start = position
    while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
    if current == UInt8(ascii: "\"") {  // the common case: nothing escaped
      defer { position += 1 }
      return try validated(bytes[start..<position])
    }
    var unescaped = [UInt8](bytes[start..<position])
    while let byte = current {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return try validated(unescaped)
      case UInt8(ascii: "\\"): try escape(into: &unescaped)
      case 0..<0x20: throw failure("a control character inside a string")
      default: unescaped.append(byte)
      }
    }
    throw failure("a string without its closing quote")
  }

  private func validated(_ text: some Collection<UInt8>) throws(Failure) -> String {
    guard let string = String(validating: text, as: UTF8.self) else { throw failure("a string that is not UTF-8") }
    return string
  }

  private mutating func escape(into text: inout [UInt8]) throws(Failure) {
    guard let byte = current else { throw failure("a string without its closing quote") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var code = try hexadecimal()
      if code & 0xFC00 == 0xD800 {
        guard take("\\"), take("u") else { throw failure("half a surrogate pair") }
        let low = try hexadecimal()
        guard low & 0xFC00 == 0xDC00 else { throw failure("half a surrogate pair") }
        code = 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF))
      }
      guard let scalar = Unicode.Scalar(code) else { throw failure("half a surrogate pair") }
      text.append(contentsOf: Array(String(scalar).utf8))
    default: throw failure("an unknown escape in a string")
    }
  }

  private mutating func hexadecimal() throws(Failure) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      let digit: UInt8
      switch current {
      case let byte? where byte >= 0x30 && byte <= 0x39: digit = byte - 0x30
      case let byte? where byte | 0x20 >= 0x61 && byte | 0x20 <= 0x66: digit = (byte | 0x20) - 0x61 + 10
      default: throw failure("an escape needs four hexadecimal digits")
      }
      code = code << 4 | UInt32(digit)
      position += 1
    }
    return code
  }
}
