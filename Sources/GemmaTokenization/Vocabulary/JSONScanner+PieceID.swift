import GemmaJSON

extension JSONScanner {
  /// The id of a piece: a whole number from 0 to 999,999,999.
  @inline(__always)
  mutating func pieceID() throws(JSONFault) -> Int {
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
}
