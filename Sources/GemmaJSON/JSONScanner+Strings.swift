extension JSONScanner {
  /// Writes the next string's UTF-8 to `output` and returns its length in bytes.
  ///
  /// A decoded string is never longer than its source, so an output of eight bytes more than the whole file always
  /// suffices: the eight are for words that reach beyond a string's end. Bytes beyond ASCII are passed on unchecked:
  /// the caller validates them in one go.
  @inlinable @inline(__always)
  package mutating func string(into output: UnsafeMutablePointer<UInt8>) throws(JSONFault) -> Int {
    try expect("\"")
    var length = 0
    while true {
      while let (word, plain) = plainBytes() {
        UnsafeMutableRawPointer(output + length).storeBytes(of: word, as: UInt64.self)
        length += plain
        position += plain
        if plain < 8 { break }
      }
      guard position < count else { break }
      let byte = bytes[position]
      if byte == 0x22 {
        position += 1
        return length
      }
      if byte == 0x5C {
        length += try escape(into: output + length)
        continue
      }
      guard byte >= 0x20 else { throw fault("a control character inside a string") }
      output[length] = byte
      length += 1
      position += 1
    }
    throw fault("a string without its closing quote")
  }

  /// The next eight bytes, and how many of them come before the first quote, backslash or control character; nil
  /// where fewer than eight are left.
  @inlinable @inline(__always)
  package func plainBytes() -> (word: UInt64, count: Int)? {
    guard position &+ 8 <= count else { return nil }
    let word = UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: position, as: UInt64.self)
    let ones: UInt64 = 0x0101_0101_0101_0101
    let ordered = UInt64(littleEndian: word)
    let quote = ordered ^ ones &* 0x22
    let backslash = ordered ^ ones &* 0x5C
    // The top bit of each byte that is zero, or below 0x20. A borrow can mark a byte only above a right mark, so that
    // the lowest mark is exact.
    let marks =
      ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (ordered &- ones &* 0x20) & ~ordered)
      & ones &* 0x80
    return (word, marks.trailingZeroBitCount / 8)
  }

  /// The next string as text.
  package mutating func string() throws(JSONFault) -> String {
    let start = self
    let (content, isPlain, _) = try stepOverString()
    if isPlain { return try text(UnsafeBufferPointer(rebasing: content)) }
    let output = UnsafeMutablePointer<UInt8>.allocate(capacity: content.count + 8)
    defer { output.deallocate() }
    self = start
    let length = try string(into: output)
    return try text(UnsafeBufferPointer(start: output, count: length))
  }

  package mutating func skipString() throws(JSONFault) {
    let start = self
    let (_, isPlain, isASCII) = try stepOverString()
    guard !isPlain || !isASCII else { return }
    self = start
    _ = try string()
  }

  private func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONFault) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw fault("a string that is not UTF-8") }
    return text
  }

  /// Finds the end of the next string and hands back what lies between the quotes. Escapes are not looked at: without
  /// one the string is plain.
  private mutating func stepOverString() throws(JSONFault) -> (
    content: Slice<UnsafeBufferPointer<UInt8>>, isPlain: Bool, isASCII: Bool
  ) {
    try expect("\"")
    let start = position
    var isPlain = true
    var highBits: UInt64 = 0
    while position < count {
      if let (word, plain) = plainBytes(), plain > 0 {
        highBits |= word  // perhaps with some of what follows the string: that costs a second look, no more
        position += plain
        continue
      }
      let byte = bytes[position]
      position += 1
      switch byte {
      case 0x22:
        let content = UnsafeBufferPointer(start: bytes, count: count)[start..<position - 1]
        return (content, isPlain, highBits & 0x8080_8080_8080_8080 == 0)
      case 0x5C:
        isPlain = false
        position += 1
      case 0..<0x20: throw fault("a control character inside a string")
      default: highBits |= UInt64(byte)
      }
    }
    position = count
    throw fault("a string without its closing quote")
  }

  /// Decodes the escape at the position, surrogate pairs included; returns the number of bytes written.
  @usableFromInline
  package mutating func escape(into output: UnsafeMutablePointer<UInt8>) throws(JSONFault) -> Int {
    guard position + 1 < count else { throw fault("a string without its closing quote") }
    let kind = bytes[position + 1]
    position += 2
    switch kind {
    case 0x22, 0x5C, 0x2F: output[0] = kind
    case 0x62: output[0] = 0x08
    case 0x66: output[0] = 0x0C
    case 0x6E: output[0] = 0x0A
    case 0x72: output[0] = 0x0D
    case 0x74: output[0] = 0x09
    case 0x75: return try unicodeEscape(into: output)
    default: throw fault("an unknown escape in a string")
    }
    return 1
  }

  private mutating func unicodeEscape(into output: UnsafeMutablePointer<UInt8>) throws(JSONFault) -> Int {
    var code = try fourHexDigits()
    if code & 0xFC00 == 0xD800, position + 1 < count, bytes[position] == 0x5C, bytes[position + 1] == 0x75 {
      position += 2
      let low = try fourHexDigits()
      guard low & 0xFC00 == 0xDC00 else { throw fault("half a surrogate pair") }
      code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
    }
    guard let scalar = Unicode.Scalar(code) else { throw fault("half a surrogate pair") }
    var length = 0
    for byte in UTF8.encode(scalar)?.makeIterator() ?? UTF8.encodedReplacementCharacter.makeIterator() {
      output[length] = byte
      length += 1
    }
    return length
  }

  private mutating func fourHexDigits() throws(JSONFault) -> UInt32 {
    guard position + 4 <= count else { throw fault("an escape needs four hexadecimal digits") }
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = hexDigit(bytes[position]) else { throw fault("an escape needs four hexadecimal digits") }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}

/// The value of an ASCII hexadecimal digit.
@inlinable @inline(__always)
package func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case 0x30...0x39: byte - 0x30
  case 0x41...0x46: byte - 0x41 + 10
  case 0x61...0x66: byte - 0x61 + 10
  default: nil
  }
}
