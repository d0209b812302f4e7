/// A number with the text that it is written as: 1.0 stays apart from 1, and no digit is lost, however many there are.
///
/// Two numbers are equal where they mean the same: 1, 1.0 and 10e-1.
package struct JSONNumber: Sendable, CustomStringConvertible {
  /// By the grammar of RFC 8259, and no larger than a double can be.
  package let text: String

  /// Nil for a text that is no number, and nothing else.
  package init?(_ text: String) {
    let isNumber = Array(text.utf8).withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      guard let first = bytes.first, first == 0x2D || first &- 0x30 < 10 else { return false }
      return (try? scanner.number()) != nil && scanner.position == bytes.count
    }
    guard isNumber else { return nil }
    self.text = text
  }

  package init(_ value: Int) { text = String(value) }

  /// The shortest decimal that reads as this value; nil for infinities and NaN, which JSON does not have.
  package init?(_ value: Double) {
    guard value.isFinite else { return nil }
    text = value.description
  }

  /// The shortest decimal that reads as this value; nil for infinities and NaN, which JSON does not have.
  package init?(_ value: Float) {
    guard value.isFinite else { return nil }
    text = value.description
  }

  init(unchecked text: String) { self.text = text }

  /// Nil where it is written with a fraction or an exponent, or does not fit into 64 bits.
  package var integer: Int? { Int(text) }

  /// The nearest double.
  package var double: Double { Double(text) ?? .infinity }

  /// For messages: long numbers are cut.
  package var description: String { String(text.prefix(40)) }
}

extension JSONNumber: Hashable {
  /// What a number means: digits without zeros at either end, and the power of ten of the last one.
  private struct Meaning: Hashable {
    var isNegative = false
    var digits: [UInt8] = []
    var exponent = 0
  }

  private var meaning: Meaning {
    var meaning = Meaning()
    var isFraction = false
    let end = text.utf8.firstIndex { $0 | 0x20 == 0x65 } ?? text.utf8.endIndex
    for byte in text.utf8[..<end] {
      switch byte {
      case 0x2D: meaning.isNegative = true
      case 0x2E: isFraction = true
      default:
        if byte != 0x30 || !meaning.digits.isEmpty { meaning.digits.append(byte) }
        if isFraction { meaning.exponent -= 1 }
      }
    }
    while meaning.digits.last == 0x30 {
      meaning.digits.removeLast()
      meaning.exponent += 1
    }
    guard !meaning.digits.isEmpty else { return Meaning() }
    if end < text.utf8.endIndex {
      // An exponent beyond 64 bits is negative, or the number would be larger than a double: nothing is smaller.
      let written = Int(text[text.utf8.index(after: end)...]) ?? .min
      let (sum, overflows) = meaning.exponent.addingReportingOverflow(written)
      meaning.exponent = overflows ? .min : sum
    }
    return meaning
  }

  package static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    left.text == right.text || left.meaning == right.meaning
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(meaning) }
}
