import GemmaJSON
public import GemmaRuntime

extension GemmaTokenizer {
  /// The text of `tokens`: pieces joined, U+2581 as spaces, byte pieces as UTF-8. Bytes that form no scalar become
  /// U+FFFD, as in Swift's own decoding. Nothing is trimmed or tidied. Ids outside the vocabulary add nothing.
  ///
  /// - Parameter skipsControlPieces: Whether control pieces add nothing, or their spelling.
  public func decode(_ tokens: [TokenID], skipsControlPieces: Bool = true) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 * tokens.count)
    for token in tokens { appendBytes(of: token, skipsControlPieces: skipsControlPieces, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  func appendBytes(of token: TokenID, skipsControlPieces: Bool, to bytes: inout [UInt8]) {
    switch kind(of: token) {
    case .byte:
      if let value = byteValue(tables.pieces.bytes(of: token)) { bytes.append(value) }
    case .control where skipsControlPieces: return
    case .text, .control:
      let piece = tables.pieces.bytes(of: token)
      var position = 0
      while position < piece.count {
        if piece[position] == 0xE2, position + 2 < piece.count, piece[position + 1] == 0x96,
          piece[position + 2] == 0x81
        {
          bytes.append(0x20)
          position += 3
        } else {
          bytes.append(piece[position])
          position += 1
        }
      }
    default: return
    }
  }
}

/// The byte that a piece spelt `<0x00>` to `<0xFF>` stands for.
func byteValue(_ piece: UnsafeBufferPointer<UInt8>) -> UInt8? {
  guard piece.count == 6, piece[0] == 0x3C, piece[1] == 0x30, piece[2] == 0x78, piece[5] == 0x3E,
    let high = hexDigit(piece[3]), let low = hexDigit(piece[4])
  else { return nil }
  return high << 4 | low
}
