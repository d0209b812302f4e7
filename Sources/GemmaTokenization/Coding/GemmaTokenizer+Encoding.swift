public import GemmaRuntime

extension GemmaTokenizer {
  /// The ids of `text`, without `<bos>`. The time is linear in the text.
  ///
  /// - Parameter parsingControlPieces: Whether control pieces spelt out in the text, such as `<end_of_turn>`, become
  ///   their ids. By default they are text like any other, whoever wrote them.
  public func encode(_ text: String, parsingControlPieces: Bool = false) -> [TokenID] {
    var text = text
    return text.withUTF8 { encode($0, cutting: parsingControlPieces ? tables.allAdded : tables.plainAdded) }
  }

  private func encode(_ text: UnsafeBufferPointer<UInt8>, cutting added: AddedPieceTrie) -> [TokenID] {
    var output: [TokenID] = []
    output.reserveCapacity(text.count / 3 + 1)
    var encoder = BytePairEncoder(merges: tables.merges)
    var position = 0
    while position < text.count {
      if let found = added.match(text, at: position) {
        encoder.flush(into: &output)
        output.append(found.token)
        position += found.length
      } else {
        position += appendScalar(text, at: position, to: &encoder, flushingInto: &output)
      }
    }
    encoder.flush(into: &output)
    return output
  }

  /// Appends the symbols of the scalar at `position` and returns its length in bytes.
  @inline(__always)
  private func appendScalar(
    _ text: UnsafeBufferPointer<UInt8>, at position: Int, to encoder: inout BytePairEncoder,
    flushingInto output: inout [TokenID]
  ) -> Int {
    let lead = text[position]
    if lead == 0x20 {
      // No merge reaches across the front of this space, so that the words on both sides can be merged apart: the
      // same result, with work that stays in the cache.
      if !encoder.isEmpty, tables.joinsSpace[Int(text[position - 1] == 0x20 ? 0x81 : text[position - 1])] == 0 {
        encoder.flush(into: &output)
      }
      encoder.append(tables.spaceToken)
      return 1
    }
    if lead < 0x80 {
      encoder.append(tables.asciiTokens[Int(lead)])
      return 1
    }
    // The text is valid UTF-8, so that the leading byte tells the length.
    let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    let scalar = UnsafeBufferPointer(rebasing: text[position..<position + length])
    if let token = scalar.baseAddress.flatMap({ tables.pieces.find($0, length) }),
      tables.kinds[Int(token)] == .text
    {
      encoder.append(token)
    } else {
      for byte in scalar { encoder.append(tables.byteTokens[Int(byte)]) }
    }
    return length
  }
}
