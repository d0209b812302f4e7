/// The parts of a `tokenizer.json`, read in one pass over its bytes.
///
/// Only what the Gemma family uses is understood: byte-pair encoding with byte fallback, spaces written as U+2581,
/// added pieces cut out of the raw text. Anything else is refused, because ignoring it would give wrong ids.
struct TokenizerFile {
  struct Entry {
    var id: Int
    /// Where the bytes lie in `text`.
    var start: Int
    var length: Int
  }

  struct AddedPiece {
    var entry: Entry
    var isSpecial: Bool
  }

  /// A setting of the file that this package cannot follow.
  struct Unsupported: Error {
    let reason: String
  }

  enum Failure: Error {
    case malformed(JSONFault)
    case unsupported(Unsupported)
  }

  /// The decoded bytes of all pieces, one behind the other.
  let text: UnsafeMutablePointer<UInt8>
  private(set) var textLength = 0
  private(set) var vocabulary: [Entry] = []
  private(set) var added: [AddedPiece] = []
  /// Where the list of merges begins; it can be read once all pieces have ids.
  private(set) var mergesPosition: Int?
  private var scanner: JSONScanner
  private var sawVocabulary = false
  private var sawAdded = false
  private var sawModel = false
  private var sawByteFallback = false

  /// - Parameter text: Room for as many bytes as the file has: no decoded string is longer than its source.
  init(_ scanner: JSONScanner, text: UnsafeMutablePointer<UInt8>) throws(Failure) {
    self.scanner = scanner
    self.text = text
    do {
      try readDocument()
    } catch let fault as JSONFault {
      throw .malformed(fault)
    } catch let unsupported as Unsupported {
      throw .unsupported(unsupported)
    } catch {
      throw .malformed(scanner.fault("\(error)"))
    }
  }

  private mutating func readDocument() throws {
    try scanner.expect("{")
    var first = true
    while let key = try scanner.nextKey(&first) {
      switch key {
      case "added_tokens": try readAddedPieces()
      case "model": try readModel()
      case "normalizer": try readNormalizer()
      default: try scanner.skipValue()
      }
    }
    try scanner.expectEnd()
    guard sawModel, sawVocabulary else { throw scanner.fault("no \"model\" with a \"vocab\"") }
    guard mergesPosition != nil else { throw scanner.fault("no \"merges\" in \"model\"") }
    guard sawAdded else { throw scanner.fault("no \"added_tokens\"") }
    guard sawByteFallback else { throw Unsupported(reason: "the tokenizer has no byte fallback") }
  }

  private mutating func readModel() throws {
    guard !sawModel else { throw scanner.fault("a second \"model\"") }
    sawModel = true
    try scanner.expect("{")
    var first = true
    while let key = try scanner.nextKey(&first) {
      switch key {
      case "type":
        let type = try scanner.string()
        guard type == "BPE" else { throw Unsupported(reason: "tokenizer of type \"\(type)\"; only BPE is known") }
      case "byte_fallback": sawByteFallback = try scanner.bool()
      case "ignore_merges":
        guard try !scanner.bool() else { throw Unsupported(reason: "a tokenizer with ignore_merges") }
      case "vocab":
        guard !sawVocabulary else { throw scanner.fault("a second \"vocab\"") }
        sawVocabulary = true
        try readVocabulary()
      case "merges":
        guard mergesPosition == nil else { throw scanner.fault("a second list \"merges\"") }
        _ = scanner.peek()
        mergesPosition = scanner.position
        try scanner.skipValue()
      default: try scanner.skipValue()
      }
    }
  }

  private mutating func readVocabulary() throws(JSONFault) {
    try scanner.expect("{")
    var first = true
    while try scanner.hasNext(&first, closing: "}") {
      let start = textLength
      textLength += try scanner.string(into: text + start)
      try scanner.expect(":")
      vocabulary.append(Entry(id: try scanner.index(), start: start, length: textLength - start))
    }
  }

  private mutating func readAddedPieces() throws {
    guard !sawAdded else { throw scanner.fault("a second list \"added_tokens\"") }
    sawAdded = true
    try scanner.expect("[")
    var first = true
    while try scanner.hasNext(&first, closing: "]") { added.append(try readAddedPiece()) }
  }

  private mutating func readAddedPiece() throws -> AddedPiece {
    var id: Int?
    var content: Range<Int>?
    var isSpecial = false
    try scanner.expect("{")
    var first = true
    while let key = try scanner.nextKey(&first) {
      switch key {
      case "id": id = try scanner.index()
      case "content":
        let start = textLength
        textLength += try scanner.string(into: text + start)
        content = start..<textLength
      case "special": isSpecial = try scanner.bool()
      case "single_word", "lstrip", "rstrip":
        guard try !scanner.bool() else { throw Unsupported(reason: "an added piece with \"\(key)\"") }
      default: try scanner.skipValue()
      }
    }
    guard let id, let content else { throw scanner.fault("an added piece without \"id\" or \"content\"") }
    return AddedPiece(entry: Entry(id: id, start: content.lowerBound, length: content.count), isSpecial: isSpecial)
  }

  /// The one normalisation of the family: every space becomes U+2581.
  private mutating func readNormalizer() throws {
    let start = scanner
    try scanner.skipValue()
    var object = start
    guard object.peek() == 0x7B else { throw Unsupported(reason: "a tokenizer that does not mark spaces") }
    try object.expect("{")
    var first = true
    var found = (type: "", pattern: "", content: "")
    while let key = try object.nextKey(&first) {
      switch key {
      case "type": found.type = try object.string()
      case "content": found.content = try object.string()
      case "pattern":
        try object.expect("{")
        var firstOfPattern = true
        while let kind = try object.nextKey(&firstOfPattern) {
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
