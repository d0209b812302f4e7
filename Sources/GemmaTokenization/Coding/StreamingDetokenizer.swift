public import GemmaRuntime

/// Decodes ids one at a time. The parts of text returned concatenate to exactly the decoding of all ids at once.
///
/// A scalar spelt in byte pieces is held back until its last byte has come.
public struct StreamingDetokenizer: Sendable {
  private let tokenizer: GemmaTokenizer
  private let skipsControlPieces: Bool
  /// The first bytes of a scalar that is not complete: at most three.
  private var pending: [UInt8] = []

  /// - Parameter skipsControlPieces: Whether control pieces add nothing, or their spelling.
  public init(_ tokenizer: GemmaTokenizer, skipsControlPieces: Bool = true) {
    self.tokenizer = tokenizer
    self.skipsControlPieces = skipsControlPieces
  }

  /// The text that has become certain with this id: whole scalars, possibly none.
  public mutating func append(_ token: TokenID) -> String {
    tokenizer.appendBytes(of: token, skipsControlPieces: skipsControlPieces, to: &pending)
    let end = pending.count - Self.incompleteTail(pending)
    let text = String(decoding: pending[..<end], as: UTF8.self)
    pending.removeSubrange(..<end)
    return text
  }

  /// What is left at the end: U+FFFD for an incomplete scalar, else nothing.
  public mutating func finish() -> String {
    defer { pending.removeAll() }
    return String(decoding: pending, as: UTF8.self)
  }

  /// How many bytes at the end may still become a scalar.
  private static func incompleteTail(_ bytes: [UInt8]) -> Int {
    for length in 1...3 where length <= bytes.count {
      let lead = bytes[bytes.count - length]
      if lead & 0xC0 == 0x80 { continue }
      let wanted =
        switch lead {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
      guard length < wanted else { return 0 }
      return length == 1 || isPossible(second: bytes[bytes.count - length + 1], after: lead) ? length : 0
    }
    return 0
  }

  /// Whether the second byte leaves a scalar possible: no overlong form, no surrogate, nothing above U+10FFFF.
  private static func isPossible(second: UInt8, after lead: UInt8) -> Bool {
    switch lead {
    case 0xE0: second >= 0xA0
    case 0xED: second < 0xA0
    case 0xF0: second >= 0x90
    case 0xF4: second < 0x90
    default: true
    }
  }
}
