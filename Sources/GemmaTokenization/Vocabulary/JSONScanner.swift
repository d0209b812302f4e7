/// What is wrong with a JSON text, and where.
struct JSONFault: Error {
  let offset: Int
  let reason: String
}

/// Reads JSON byte by byte, in place.
///
/// A vocabulary holds over a million short strings. A general decoder makes an object of each; this scanner writes
/// their bytes where the caller wants them and allocates nothing. The bytes must outlive the scanner.
struct JSONScanner {
  /// Deeper nesting than this is refused, so that a damaged file cannot exhaust the stack.
  private static let maximumDepth = 64

  let bytes: UnsafePointer<UInt8>
  let count: Int
  var position = 0

  init(_ buffer: UnsafeBufferPointer<UInt8>, from base: UnsafePointer<UInt8>) {
    bytes = base
    count = buffer.count
  }

  func fault(_ reason: String) -> JSONFault { JSONFault(offset: position, reason: reason) }

  /// The next byte that is no whitespace, without taking it; 0 at the end.
  @inline(__always)
  mutating func peek() -> UInt8 {
    while position < count {
      let byte = bytes[position]
      if byte != 0x20 && byte != 0x0A && byte != 0x0D && byte != 0x09 { return byte }
      position += 1
    }
    return 0
  }

  @inline(__always)
  mutating func expect(_ character: Unicode.Scalar) throws(JSONFault) {
    guard peek() == UInt8(truncatingIfNeeded: character.value) else { throw fault("expected '\(character)'") }
    position += 1
  }

  mutating func expectEnd() throws(JSONFault) {
    _ = peek()
    guard position == count else { throw fault("text after the end of the JSON value") }
  }

  /// Whether another member or element follows; takes the comma in front of it, or the closing bracket.
  @inline(__always)
  mutating func hasNext(_ first: inout Bool, closing: Unicode.Scalar) throws(JSONFault) -> Bool {
    let byte = peek()
    if byte == UInt8(truncatingIfNeeded: closing.value) {
      position += 1
      return false
    }
    if first {
      first = false
      return true
    }
    guard byte == 0x2C else { throw fault("expected ',' or '\(closing)'") }
    position += 1
    guard peek() != UInt8(truncatingIfNeeded: closing.value) else { throw fault("a comma before '\(closing)'") }
    return true
  }

  /// The next member's key, its colon taken; nil at the end of the object.
  mutating func nextKey(_ first: inout Bool) throws(JSONFault) -> String? {
    guard try hasNext(&first, closing: "}") else { return nil }
    let key = try string()
    try expect(":")
    return key
  }

  mutating func bool() throws(JSONFault) -> Bool {
    switch peek() {
    case 0x74:
      try literal("true")
      return true
    case 0x66:
      try literal("false")
      return false
    default: throw fault("expected true or false")
    }
  }

  /// An integer from 0 to 999,999,999 without sign, fraction or exponent.
  @inline(__always)
  mutating func index() throws(JSONFault) -> Int {
    _ = peek()
    let start = position
    var value = 0
    while position < count, bytes[position] &- 0x30 < 10 {
      value = value &* 10 &+ Int(bytes[position] &- 0x30)
      position += 1
      guard position - start <= 9 else { throw fault("a number too large for an id") }
    }
    guard position > start, position - start == 1 || bytes[start] != 0x30 else { throw fault("expected an id") }
    if position < count, bytes[position] == 0x2E || bytes[position] | 0x20 == 0x65 {
      throw fault("expected a whole number")
    }
    return value
  }

  /// Steps over one value of any kind, checking its form.
  mutating func skipValue(depth: Int = 0) throws(JSONFault) {
    guard depth < Self.maximumDepth else { throw fault("nested too deeply") }
    var first = true
    switch peek() {
    case 0x7B:
      position += 1
      while try hasNext(&first, closing: "}") {
        try skipString()
        try expect(":")
        try skipValue(depth: depth + 1)
      }
    case 0x5B:
      position += 1
      while try hasNext(&first, closing: "]") { try skipValue(depth: depth + 1) }
    case 0x22: try skipString()
    case 0x74: try literal("true")
    case 0x66: try literal("false")
    case 0x6E: try literal("null")
    case 0x2D, 0x30...0x39:
      while position < count {
        let byte = bytes[position]
        guard byte &- 0x30 < 10 || byte == 0x2D || byte == 0x2B || byte == 0x2E || byte | 0x20 == 0x65 else { break }
        position += 1
      }
    default: throw fault("expected a value")
    }
  }

  mutating func literal(_ word: StaticString) throws(JSONFault) {
    guard count - position >= word.utf8CodeUnitCount else { throw fault("expected \(word)") }
    for offset in 0..<word.utf8CodeUnitCount where bytes[position + offset] != word.utf8Start[offset] {
      throw fault("expected \(word)")
    }
    position += word.utf8CodeUnitCount
  }
}
