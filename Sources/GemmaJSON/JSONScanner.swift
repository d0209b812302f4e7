/// Reads JSON (RFC 8259) of unknown origin byte by byte, in place.
///
/// A vocabulary holds over a million short strings. A general decoder makes an object of each; this scanner writes
/// their bytes where the caller wants them and allocates nothing. The bytes must outlive the scanner.
///
/// The rules hold for every reader: no key twice in an object, at most `maximumDepth` levels, no byte order mark in
/// front of the text (inside a string it is a character), no half of a surrogate pair, nothing that is not UTF-8. Only
/// `string(into:)` leaves the last one to its caller. What is skipped is checked like what is read.
///
/// What runs once or more for each string can be inlined into other modules, which takes `@usableFromInline` on all
/// that it touches, `package` or not.
@usableFromInline
package struct JSONScanner {
  /// Objects and lists inside each other. Published files have up to 6; schemas that are written by hand stay far below
  /// as well. Reading a text of this depth takes some tens of kilobytes of the stack.
  package static let maximumDepth = 64

  @usableFromInline
  package let bytes: UnsafePointer<UInt8>
  @usableFromInline
  package let count: Int
  @usableFromInline
  package var position = 0
  /// Objects and lists that are open at the position.
  package private(set) var depth = 0

  package init(_ buffer: UnsafeRawBufferPointer) {
    let buffer = buffer.bindMemory(to: UInt8.self)
    let nothing: StaticString = ""
    bytes = buffer.baseAddress ?? nothing.utf8Start
    count = buffer.count
  }

  @usableFromInline
  package func fault(_ reason: String) -> JSONFault { JSONFault(offset: position, reason: reason) }

  /// The next byte that is no whitespace, without taking it; 0 at the end.
  @inlinable @inline(__always)
  package mutating func peek() -> UInt8 {
    while position < count {
      let byte = bytes[position]
      if byte != 0x20 && byte != 0x0A && byte != 0x0D && byte != 0x09 { return byte }
      position += 1
    }
    return 0
  }

  @inlinable @inline(__always)
  package mutating func expect(_ character: Unicode.Scalar) throws(JSONFault) {
    guard peek() == UInt8(truncatingIfNeeded: character.value) else { throw fault("expected '\(character)'") }
    position += 1
  }

  package mutating func expectEnd() throws(JSONFault) {
    _ = peek()
    guard position == count else { throw fault("text after the end of the document") }
  }

  /// Takes the bracket that opens an object or a list; `hasNext` takes the one that closes it.
  package mutating func open(_ bracket: Unicode.Scalar) throws(JSONFault) {
    try expect(bracket)
    depth += 1
    guard depth <= Self.maximumDepth else { throw fault("nested deeper than \(Self.maximumDepth) levels") }
  }

  /// Whether another member or element follows; takes the comma in front of it, or the closing bracket.
  @inlinable @inline(__always)
  package mutating func hasNext(_ first: inout Bool, closing: Unicode.Scalar) throws(JSONFault) -> Bool {
    let byte = peek()
    if byte == UInt8(truncatingIfNeeded: closing.value) {
      position += 1
      close()
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

  @usableFromInline
  package mutating func close() { depth -= 1 }

  /// The next member's key, its colon taken; nil at the end of the object.
  /// - Parameter keys: Those of the object so far, none at its start.
  package mutating func nextKey(_ keys: inout JSONKeys) throws(JSONFault) -> String? {
    var isFirst = keys.isEmpty
    guard try hasNext(&isFirst, closing: "}") else { return nil }
    guard peek() == 0x22 else { throw fault("expected a key in quotes") }
    let key = try string()
    guard keys.insert(key) else { throw fault("the key \"\(key.prefix(120))\" appears twice") }
    try expect(":")
    return key
  }

  package mutating func boolean() throws(JSONFault) -> Bool {
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

  mutating func literal(_ word: StaticString) throws(JSONFault) {
    guard count - position >= word.utf8CodeUnitCount else { throw fault("expected \(word)") }
    for offset in 0..<word.utf8CodeUnitCount where bytes[position + offset] != word.utf8Start[offset] {
      throw fault("expected \(word)")
    }
    position += word.utf8CodeUnitCount
  }
}
