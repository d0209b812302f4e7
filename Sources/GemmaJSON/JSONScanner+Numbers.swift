extension JSONScanner {
  /// No number of so many characters without an exponent is beyond a double.
  private static let surelyFinite = 300

  /// The next number, as it is written.
  package mutating func number() throws(JSONFault) -> JSONNumber {
    _ = peek()
    let start = position
    var hasExponent = false
    _ = take(0x2D)
    let leadsWithZero = position < count && bytes[position] == 0x30
    let whole = takeDigits()
    guard whole > 0 else { throw fault("expected a value") }
    guard !leadsWithZero || whole == 1 else { throw fault("a number starts with a needless zero") }
    if take(0x2E) {
      guard takeDigits() > 0 else { throw fault("a fraction without digits") }
    }
    if take(0x65) || take(0x45) {
      hasExponent = true
      if !take(0x2B) { _ = take(0x2D) }
      guard takeDigits() > 0 else { throw fault("an exponent without digits") }
    }
    let text = String(decoding: UnsafeBufferPointer(start: bytes + start, count: position - start), as: UTF8.self)
    let number = JSONNumber(unchecked: text)
    guard !hasExponent && position - start <= Self.surelyFinite || number.double.isFinite else {
      throw fault("the number \(number.description) is too large")
    }
    return number
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func takeDigits() -> Int {
    let start = position
    while position < count, bytes[position] &- 0x30 < 10 { position += 1 }
    return position - start
  }
}
