import GemmaJSON
import GemmaRuntime

/// Builds the tables of a tokenizer from the bytes of its file, checking that they fit together.
struct TokenizerLoader {
  /// Added pieces may lie this far beyond the last id; more than that is no id but damage.
  private static let maximumGap = 65_536
  /// Pieces whose slots are looked at before any of them is entered, so that the reads overlap.
  private static let batchSize = 64

  private let arena = TableArena()
  private var pieces: PieceTableBuilder?
  private var merges: MergeList?

  /// - Throws: `JSONFault`, `TokenizerFile.Unsupported` or `TableArena.Exhausted`.
  static func tables(of bytes: UnsafeRawBufferPointer) throws -> TokenizerTables {
    guard !bytes.isEmpty, bytes.count <= Int(UInt32.max) else {
      throw JSONFault(offset: 0, reason: bytes.isEmpty ? "the file is empty" : "the file is too large")
    }
    var loader = TokenizerLoader()
    return try loader.load(JSONScanner(bytes))
  }

  private mutating func load(_ scanner: JSONScanner) throws -> TokenizerTables {
    // As large as the file in address space, of which only what is written becomes memory.
    let text = try arena.allocate(scanner.count + 8, of: UInt8.self)
    guard let base = text.baseAddress else { throw TableArena.Exhausted(byteCount: scanner.count) }
    let file = try TokenizerFile(scanner, text: base) { file, scanner in
      let builder = try Self.enterVocabulary(of: file, in: arena)
      // All strings of the file together are no longer than the file: what follows the pieces is free for merges.
      merges = try MergeList(&scanner, builder, scratch: file.text + file.textLength, in: arena)
      pieces = builder
    }
    guard let pieces, let merges else { throw scanner.fault("no \"merges\" in \"model\"") }
    let (allAdded, plainAdded) = try Self.enterAddedPieces(of: file, into: pieces, in: arena)
    let symbols = try Self.symbols(of: pieces)
    return TokenizerTables(
      owner: arena, pieces: pieces.table, kinds: UnsafeBufferPointer(pieces.kinds), merges: merges.table,
      joinsSpace: merges.joinsSpace, allAdded: allAdded, plainAdded: plainAdded,
      byteTokens: try arena.copy(symbols.bytes), asciiTokens: try arena.copy(symbols.ascii),
      spaceToken: symbols.space, beginOfSequence: symbols.begin)
  }

  /// The model's pieces: as many different ones as ids, and ids without gaps but for those of added pieces.
  private static func enterVocabulary(of file: TokenizerFile, in arena: TableArena) throws -> PieceTableBuilder {
    func fault(_ reason: String) -> JSONFault { JSONFault(offset: 0, reason: reason) }
    let text = UnsafeBufferPointer(start: file.text, count: file.textLength)
    let limit = file.vocabulary.count + file.added.count + maximumGap
    let highest = max(
      file.vocabulary.reduce(-1) { max($0, Int($1.id)) }, file.added.reduce(-1) { max($0, Int($1.entry.id)) })
    guard highest >= 0 else { throw fault("the vocabulary is empty") }
    guard highest < limit else { throw fault("id \(highest) is far beyond the number of pieces") }
    guard String(validating: text, as: UTF8.self) != nil else { throw fault("a piece that is not UTF-8") }
    let builder = try PieceTableBuilder(
      bytes: text, idCount: highest + 1, pieceCount: file.vocabulary.count + file.added.count, in: arena)
    for start in stride(from: 0, to: file.vocabulary.count, by: batchSize) {
      let batch = file.vocabulary[start..<min(start + batchSize, file.vocabulary.count)]
      for entry in batch { builder.touch(entry.span) }
      for entry in batch {
        let bytes = file.bytes(of: entry)
        guard let first = bytes.first, first & 0xC0 != 0x80 else {
          throw fault("piece \(entry.id) is empty or not UTF-8")
        }
        guard builder.kinds[Int(entry.id)] == .missing else { throw fault("two pieces have id \(entry.id)") }
        guard builder.insert(entry, byteValue(bytes) == nil ? .text : .byte) else {
          throw fault("piece \(entry.id) stands twice in the vocabulary")
        }
      }
    }
    // Marked before merges are read: none may make a control piece.
    for piece in file.added where builder.kinds[Int(piece.entry.id)] != .missing && isControl(piece, file) {
      builder.kinds[Int(piece.entry.id)] = .control
    }
    let addedIDs = Set(file.added.map(\.entry.id))
    for id in 0..<min(file.vocabulary.count, builder.kinds.count) where builder.kinds[id] == .missing {
      guard addedIDs.contains(UInt32(truncatingIfNeeded: id)) else { throw fault("no piece has id \(id)") }
    }
    return builder
  }

  /// Whether a piece is part of the model's protocol. The published files mark only some of them as special: not
  /// Gemma 4's `<|channel>` or `<|tool_call>`, nor Gemma 3's `<start_of_image>`.
  private static func isControl(_ piece: TokenizerFile.AddedPiece, _ file: TokenizerFile) -> Bool {
    if piece.isSpecial { return true }
    let text = String(decoding: file.bytes(of: piece.entry), as: UTF8.self)
    return ["<|", "<start_of_", "<end_of_", "[multimodal"].contains { text.hasPrefix($0) }
      || ["|>", "_soft_token>"].contains { text.hasSuffix($0) }
  }

  /// Enters the added pieces into the tries, and into the table those that are not the model's.
  private static func enterAddedPieces(
    of file: TokenizerFile, into builder: PieceTableBuilder, in arena: TableArena
  ) throws -> (all: AddedPieceTrie, plain: AddedPieceTrie) {
    func fault(_ reason: String) -> JSONFault { JSONFault(offset: 0, reason: reason) }
    var all = AddedPieceTrieBuilder()
    var plain = AddedPieceTrieBuilder()
    for piece in file.added {
      let entry = piece.entry
      let bytes = file.bytes(of: entry)
      guard let first = bytes.first, let base = bytes.baseAddress, first & 0xC0 != 0x80 else {
        throw fault("added piece \(entry.id) is empty or not UTF-8")
      }
      let token = TokenID(truncatingIfNeeded: entry.id)
      if let known = builder.table.find(base, bytes.count) {
        guard known == token else { throw fault("an added piece has id \(token), but \(known) in the vocabulary") }
      } else {
        guard builder.kinds[Int(entry.id)] == .missing else {
          throw fault("an added piece has the id \(token) of another piece")
        }
        _ = builder.insert(entry, isControl(piece, file) ? .control : .text)
      }
      all.insert(bytes, token)
      if builder.kinds[Int(entry.id)] != .control { plain.insert(bytes, token) }
    }
    return (try all.build(in: arena), try plain.build(in: arena))
  }

  /// The ids that encoding starts from: bytes, ASCII characters, the marked space; and `<bos>`.
  private static func symbols(
    of builder: PieceTableBuilder
  ) throws(JSONFault) -> (bytes: [TokenID], ascii: [TokenID], space: TokenID, begin: TokenID) {
    func fault(_ reason: String) -> JSONFault { JSONFault(offset: 0, reason: reason) }
    func symbol(_ text: String, _ kind: PieceKind) -> TokenID? {
      builder.table.find(text).flatMap { builder.kinds[Int($0)] == kind ? $0 : nil }
    }
    var bytes: [TokenID] = []
    for byte in 0..<256 {
      let spelling = "<0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))>"
      guard let token = symbol(spelling, .byte) else { throw fault("no piece for the byte \(spelling)") }
      bytes.append(token)
    }
    let ascii = (0..<128).map { symbol(String(Unicode.Scalar(UInt8($0))), .text) ?? bytes[$0] }
    guard let space = symbol("\u{2581}", .text) else { throw fault("no piece for the space, U+2581") }
    guard let begin = builder.table.find("<bos>") else { throw fault("no piece <bos>") }
    return (bytes, ascii, space, begin)
  }
}
