import Tensors

/// Builds the tables of a tokenizer from the bytes of its file, checking that they fit together.
struct TokenizerLoader {
  /// Added pieces may lie this far beyond the last id; more than that is no id but damage.
  private static let maximumGap = 65_536

  private(set) var pieces: PieceTable
  private(set) var kinds: [PieceKind]
  private(set) var merges: MergeTable
  private(set) var joinsSpace: [Bool]
  private(set) var allAdded = AddedPieceTrie()
  private(set) var plainAdded = AddedPieceTrie()
  private(set) var byteTokens: [TokenID] = []
  private(set) var asciiTokens: [TokenID] = []
  private(set) var spaceToken: TokenID = 0
  private(set) var beginOfSequence: TokenID = 0

  init(_ bytes: UnsafeRawBufferPointer) throws(TokenizerFile.Failure) {
    let source = bytes.bindMemory(to: UInt8.self)
    guard let base = source.baseAddress, source.count <= Int(UInt32.max) else {
      throw .malformed(JSONFault(offset: 0, reason: source.isEmpty ? "the file is empty" : "the file is too large"))
    }
    // Twice the file's size in address space, of which only what is written becomes memory.
    let text = UnsafeMutablePointer<UInt8>.allocate(capacity: source.count)
    let scratch = UnsafeMutablePointer<UInt8>.allocate(capacity: source.count)
    defer {
      text.deallocate()
      scratch.deallocate()
    }
    let scanner = JSONScanner(source, from: base)
    let file = try TokenizerFile(scanner, text: text)
    do throws(JSONFault) {
      (pieces, kinds) = try Self.table(of: file)
      Self.markControls(of: file, in: &kinds)
      var reader = MergeReader(pieces: pieces, kinds: kinds)
      var mergeScanner = scanner
      mergeScanner.position = file.mergesPosition ?? source.count
      try reader.read(mergeScanner, scratch: scratch)
      merges = reader.table
      joinsSpace = reader.joinsSpace
      try enterAddedPieces(of: file)
      try findSymbols()
    } catch {
      throw .malformed(error)
    }
  }

  /// The model's pieces: as many different ones as ids, and ids without gaps but for those of added pieces.
  private static func table(of file: TokenizerFile) throws(JSONFault) -> (PieceTable, [PieceKind]) {
    func fault(_ reason: String) -> JSONFault { JSONFault(offset: file.mergesPosition ?? 0, reason: reason) }
    let limit = file.vocabulary.count + file.added.count + maximumGap
    let highest = max(
      file.vocabulary.reduce(-1) { max($0, $1.id) }, file.added.reduce(-1) { max($0, $1.entry.id) })
    guard highest >= 0 else { throw fault("the vocabulary is empty") }
    guard highest < limit else { throw fault("id \(highest) is far beyond the number of pieces") }
    var pieces = PieceTable(capacity: file.vocabulary.count + file.added.count)
    var kinds = [PieceKind](repeating: .missing, count: highest + 1)
    pieces.bytes = [UInt8](UnsafeBufferPointer(start: file.text, count: file.textLength))
    guard String(validating: pieces.bytes, as: UTF8.self) != nil else { throw fault("a piece that is not UTF-8") }
    pieces.starts = [UInt32](repeating: 0, count: highest + 1)
    pieces.lengths = [UInt32](repeating: 0, count: highest + 1)
    for entry in file.vocabulary {
      guard entry.length > 0, file.text[entry.start] & 0xC0 != 0x80 else {
        throw fault("piece \(entry.id) is empty or not UTF-8")
      }
      guard kinds[entry.id] == .missing else { throw fault("two pieces have id \(entry.id)") }
      pieces.starts[entry.id] = UInt32(truncatingIfNeeded: entry.start)
      pieces.lengths[entry.id] = UInt32(truncatingIfNeeded: entry.length)
      guard pieces.insert(TokenID(truncatingIfNeeded: entry.id)) else {
        throw fault("piece \(entry.id) stands twice in the vocabulary")
      }
      kinds[entry.id] = byteValue(UnsafeBufferPointer(start: file.text + entry.start, count: entry.length)) == nil
        ? .text : .byte
    }
    for id in 0..<min(file.vocabulary.count, kinds.count) where kinds[id] == .missing {
      guard file.added.contains(where: { $0.entry.id == id }) else { throw fault("no piece has id \(id)") }
    }
    return (pieces, kinds)
  }

  /// Marks the model's pieces that are control pieces, before merges are read.
  private static func markControls(of file: TokenizerFile, in kinds: inout [PieceKind]) {
    for piece in file.added where kinds[piece.entry.id] != .missing && isControl(piece, file) {
      kinds[piece.entry.id] = .control
    }
  }

  /// Whether a piece is part of the model's protocol. The published files mark only some of them as special: not
  /// Gemma 4's `<|channel>` or `<|tool_call>`, nor Gemma 3's `<start_of_image>`.
  private static func isControl(_ piece: TokenizerFile.AddedPiece, _ file: TokenizerFile) -> Bool {
    if piece.isSpecial { return true }
    let bytes = UnsafeBufferPointer(start: file.text + piece.entry.start, count: piece.entry.length)
    let text = String(decoding: bytes, as: UTF8.self)
    return ["<|", "<start_of_", "<end_of_", "[multimodal"].contains { text.hasPrefix($0) }
      || ["|>", "_soft_token>"].contains { text.hasSuffix($0) }
  }

  /// Enters the added pieces into the tries, and into the table those that are not the model's.
  private mutating func enterAddedPieces(of file: TokenizerFile) throws(JSONFault) {
    func fault(_ reason: String) -> JSONFault { JSONFault(offset: 0, reason: reason) }
    for piece in file.added {
      let entry = piece.entry
      let bytes = UnsafeBufferPointer(start: file.text + entry.start, count: entry.length)
      guard entry.length > 0, file.text[entry.start] & 0xC0 != 0x80 else {
        throw fault("added piece \(entry.id) is empty or not UTF-8")
      }
      let token = TokenID(truncatingIfNeeded: entry.id)
      if let known = pieces.find(file.text + entry.start, entry.length) {
        guard known == token else { throw fault("an added piece has id \(token), but \(known) in the vocabulary") }
      } else {
        guard kinds[entry.id] == .missing else { throw fault("an added piece has the id \(token) of another piece") }
        pieces.starts[entry.id] = UInt32(truncatingIfNeeded: entry.start)
        pieces.lengths[entry.id] = UInt32(truncatingIfNeeded: entry.length)
        _ = pieces.insert(token)
        kinds[entry.id] = Self.isControl(piece, file) ? .control : .text
      }
      allAdded.insert(bytes, token)
      if kinds[entry.id] != .control { plainAdded.insert(bytes, token) }
    }
  }

  /// The ids that encoding starts from: bytes, ASCII characters, the marked space; and `<bos>`.
  private mutating func findSymbols() throws(JSONFault) {
    func fault(_ reason: String) -> JSONFault { JSONFault(offset: 0, reason: reason) }
    for byte in 0..<256 {
      let digits = String(byte, radix: 16, uppercase: true)
      let spelling = "<0x\(byte < 16 ? "0" : "")\(digits)>"
      guard let token = pieces.find(spelling), kinds[Int(token)] == .byte else {
        throw fault("no piece for the byte \(spelling)")
      }
      byteTokens.append(token)
    }
    func symbol(_ text: String) -> TokenID? {
      pieces.find(text).flatMap { kinds[Int($0)] == .text ? $0 : nil }
    }
    for value in 0..<128 {
      asciiTokens.append(symbol(String(Unicode.Scalar(UInt8(value)))) ?? byteTokens[value])
    }
    guard let space = symbol("\u{2581}") else { throw fault("no piece for the space, U+2581") }
    spaceToken = space
    guard let begin = pieces.find("<bos>") else { throw fault("no piece <bos>") }
    beginOfSequence = begin
  }
}
