import GemmaJSON

/// The parts of a `tokenizer.json`, read in one pass over its bytes.
///
/// Only what the Gemma family uses is understood: byte-pair encoding with byte fallback, spaces written as U+2581,
/// added pieces cut out of the raw text. Anything else is refused, because ignoring it would give wrong ids.
struct TokenizerFile {
  struct Entry {
    var id: UInt32
    /// Where the bytes lie in `text`.
    var span: PieceTable.Span
  }

  struct AddedPiece {
    var entry: Entry
    var isSpecial: Bool
  }

  /// A setting of the file that this package cannot follow.
  struct Unsupported: Error {
    let reason: String
  }

  /// Reads the list of merges at the scanner. Called once, when all pieces are known.
  typealias ReadMerges = (TokenizerFile, inout JSONScanner) throws -> Void

  /// The decoded bytes of all pieces, one behind the other.
  let text: UnsafeMutablePointer<UInt8>
  private(set) var textLength = 0
  private(set) var vocabulary: [Entry] = []
  private(set) var added: [AddedPiece] = []
  private var scanner: JSONScanner
  /// At a list of merges that came before the pieces.
  private var earlyMerges: JSONScanner?
  private var sawVocabulary = false
  private var sawAdded = false
  private var sawModel = false
  private var sawMerges = false
  private var sawByteFallback = false

  /// - Parameter text: Room for eight bytes more than the file has: no decoded string is longer than its source.
  init(_ scanner: JSONScanner, text: UnsafeMutablePointer<UInt8>, readMerges: ReadMerges) throws {
    self.scanner = scanner
    self.text = text
    try readDocument(readMerges)
    if var earlyMerges { try readMerges(self, &earlyMerges) }
  }

  func bytes(of entry: Entry) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: text + Int(entry.span.start), count: Int(entry.span.length))
  }

  private mutating func readDocument(_ readMerges: ReadMerges) throws {
    try scanner.open("{")
    var keys = JSONKeys()
    while let key = try scanner.nextKey(&keys) {
      switch key {
      case "added_tokens": try readAddedPieces()
      case "model": try readModel(readMerges)
      case "normalizer": try readNormalizer()
      default: try scanner.skipValue()
      }
    }
    try scanner.expectEnd()
    guard sawModel, sawVocabulary else { throw scanner.fault("no \"model\" with a \"vocab\"") }
    guard sawMerges else { throw scanner.fault("no \"merges\" in \"model\"") }
    guard sawAdded else { throw scanner.fault("no \"added_tokens\"") }
    guard sawByteFallback else { throw Unsupported(reason: "the tokenizer has no byte fallback") }
  }

  private mutating func readModel(_ readMerges: ReadMerges) throws {
    sawModel = true
    try scanner.open("{")
    var keys = JSONKeys()
    while let key = try scanner.nextKey(&keys) {
      switch key {
      case "type":
        let type = try scanner.string()
        guard type == "BPE" else { throw Unsupported(reason: "tokenizer of type \"\(type)\"; only BPE is known") }
      case "byte_fallback": sawByteFallback = try scanner.boolean()
      case "ignore_merges":
        guard try !scanner.boolean() else { throw Unsupported(reason: "a tokenizer with ignore_merges") }
      case "vocab":
        sawVocabulary = true
        try readVocabulary()
      case "merges":
        sawMerges = true
        if sawVocabulary && sawAdded {
          try readMerges(self, &scanner)
        } else {
          earlyMerges = scanner
          try scanner.skipValue()
        }
      default: try scanner.skipValue()
      }
    }
  }

  private mutating func readVocabulary() throws(JSONFault) {
    try scanner.open("{")
    var isFirst = true
    while try scanner.hasNext(&isFirst, closing: "}") {
      let span = try readSpan()
      try scanner.expect(":")
      vocabulary.append(Entry(id: UInt32(truncatingIfNeeded: try scanner.pieceID()), span: span))
    }
  }

  /// Decodes a string to the end of `text`.
  @inline(__always)
  private mutating func readSpan() throws(JSONFault) -> PieceTable.Span {
    let length = try scanner.string(into: text + textLength)
    defer { textLength += length }
    return PieceTable.Span(
      start: UInt32(truncatingIfNeeded: textLength), length: UInt32(truncatingIfNeeded: length))
  }

  private mutating func readAddedPieces() throws {
    sawAdded = true
    try scanner.open("[")
    var isFirst = true
    var keys = JSONKeys()
    while try scanner.hasNext(&isFirst, closing: "]") { added.append(try readAddedPiece(&keys)) }
  }

  private mutating func readAddedPiece(_ keys: inout JSONKeys) throws -> AddedPiece {
    var id: Int?
    var content: PieceTable.Span?
    var isSpecial = false
    try scanner.open("{")
    keys.removeAll()
    while let key = try scanner.nextKey(&keys) {
      switch key {
      case "id": id = try scanner.pieceID()
      case "content": content = try readSpan()
      case "special": isSpecial = try scanner.boolean()
      case "single_word", "lstrip", "rstrip":
        guard try !scanner.boolean() else { throw Unsupported(reason: "an added piece with \"\(key)\"") }
      default: try scanner.skipValue()
      }
    }
    guard let id, let content else { throw scanner.fault("an added piece without \"id\" or \"content\"") }
    return AddedPiece(entry: Entry(id: UInt32(truncatingIfNeeded: id), span: content), isSpecial: isSpecial)
  }

  /// The one normalisation of the family: every space becomes U+2581.
  private mutating func readNormalizer() throws {
    let start = scanner
    try scanner.skipValue()
    var object = start
    guard object.peek() == 0x7B else { throw Unsupported(reason: "a tokenizer that does not mark spaces") }
    try object.open("{")
    var keys = JSONKeys()
    var found = (type: "", pattern: "", content: "")
    while let key = try object.nextKey(&keys) {
      switch key {
      case "type": found.type = try object.string()
      case "content": found.content = try object.string()
      case "pattern":
        try object.open("{")
        var kinds = JSONKeys()
        while let kind = try object.nextKey(&kinds) {
          guard kind == "String" else { throw Unsupported(reason: "a normaliser with a pattern of kind \"\(kind)\"") }
          found.pattern = try object.string()
        }
      default: try object.skipValue()
      }
    }
    guard found == ("Replace", " ", "\u{2581}") else {
      throw Unsupported(reason: "a tokenizer whose normaliser does more or less than to mark spaces with U+2581")
    }
  }
}
