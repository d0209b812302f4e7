import GemmaRuntime

/// The tables of a tokenizer as one stretch of bytes, which a file can hold and a mapping can use in place.
///
/// A header of 64-bit words, then the tables one behind the other, each at a multiple of 64 bytes. Numbers are in this
/// machine's order: an image of the other order does not show the magic number.
enum TokenizerImage {
  /// Raised whenever the layout of a table changes, or what is read out of a `tokenizer.json`: then all older images
  /// are ignored.
  static let version: UInt64 = 1

  /// What is wrong with an image.
  struct Damage: Error {
    let reason: String
  }

  /// Words of the header.
  private enum Word {
    static let magic = 0
    static let version = 1
    static let byteCount = 2
    /// Two words: the hash of everything from `hashed` on.
    static let checksum = 3
    static let hashed = 8
    static let sourceSize = 8
    static let source = 9
    static let spaceToken = 11
    static let beginOfSequence = 12
    /// How many elements each table has.
    static let counts = 16
    static let total = 32
  }

  private static let magic: UInt64 = 0x6765_6D6D_6154_4F4B
  private static let alignment = 64

  private static func sections(of tables: TokenizerTables) -> [(count: Int, bytes: UnsafeRawBufferPointer)] {
    func section<Element>(_ values: UnsafeBufferPointer<Element>) -> (Int, UnsafeRawBufferPointer) {
      (values.count, UnsafeRawBufferPointer(values))
    }
    return [
      section(tables.pieces.bytes), section(tables.pieces.spans), section(tables.pieces.slots), section(tables.kinds),
      section(tables.merges.slots), section(tables.joinsSpace), section(tables.allAdded.nodes),
      section(tables.allAdded.first), section(tables.plainAdded.nodes), section(tables.plainAdded.first),
      section(tables.byteTokens), section(tables.asciiTokens),
    ]
  }

  /// - Parameter source: Of the `tokenizer.json` that the tables were built from.
  static func make(
    of tables: TokenizerTables, source: ContentHash, sourceSize: Int, in arena: TableArena
  ) throws(TableArena.Exhausted) -> UnsafeRawBufferPointer {
    let sections = sections(of: tables)
    let size = sections.reduce(Word.total * 8) { aligned($0) + $1.bytes.count }
    let words = try arena.allocate((size + 7) / 8, of: UInt64.self)
    words[Word.magic] = magic
    words[Word.version] = version
    words[Word.byteCount] = UInt64(size)
    words[Word.sourceSize] = UInt64(sourceSize)
    words[Word.source] = source.low
    words[Word.source + 1] = source.high
    words[Word.spaceToken] = UInt64(tables.spaceToken)
    words[Word.beginOfSequence] = UInt64(tables.beginOfSequence)
    let image = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(words)[..<size])
    var offset = Word.total * 8
    for (index, section) in sections.enumerated() {
      words[Word.counts + index] = UInt64(section.count)
      offset = aligned(offset)
      UnsafeMutableRawBufferPointer(rebasing: image[offset..<offset + section.bytes.count])
        .copyMemory(from: section.bytes)
      offset += section.bytes.count
    }
    let checksum = ContentHash(UnsafeRawBufferPointer(rebasing: image[(8 * Word.hashed)...]))
    words[Word.checksum] = checksum.low
    words[Word.checksum + 1] = checksum.high
    return UnsafeRawBufferPointer(image)
  }

  /// The tables in `file`, in place. Whatever the bytes are, the tables can be used without leaving them.
  static func tables(
    in file: MappedFile, source: ContentHash, sourceSize: Int
  ) throws(Damage) -> TokenizerTables {
    let bytes = file.bytes
    guard bytes.count >= 8 * Word.total else { throw Damage(reason: "the file is shorter than its header") }
    func word(_ index: Int) -> UInt64 { bytes.load(fromByteOffset: 8 * index, as: UInt64.self) }
    guard word(Word.magic) == magic else { throw Damage(reason: "not a cache of this kind or byte order") }
    guard word(Word.version) == version else { throw Damage(reason: "of another version") }
    guard word(Word.byteCount) == UInt64(bytes.count) else { throw Damage(reason: "the file is not whole") }
    guard word(Word.sourceSize) == UInt64(sourceSize),
      source == ContentHash(low: word(Word.source), high: word(Word.source + 1))
    else { throw Damage(reason: "made of another tokenizer.json") }
    guard
      ContentHash(UnsafeRawBufferPointer(rebasing: bytes[(8 * Word.hashed)...]))
        == ContentHash(low: word(Word.checksum), high: word(Word.checksum + 1))
    else { throw Damage(reason: "the checksum does not fit") }

    var offset = 8 * Word.total
    var index = Word.counts
    func next<Element: BitwiseCopyable>(_: Element.Type = Element.self) throws(Damage) -> UnsafeBufferPointer<Element> {
      offset = min(aligned(offset), bytes.count)
      let count = word(index)
      let room = (bytes.count - offset) / MemoryLayout<Element>.stride
      guard count <= UInt64(room) else { throw Damage(reason: "a table reaches beyond the file") }
      let section = UnsafeRawBufferPointer(
        rebasing: bytes[offset..<offset + Int(count) * MemoryLayout<Element>.stride])
      index += 1
      offset += section.count
      return section.bindMemory(to: Element.self)
    }
    let (pieceBytes, spans, pieceSlots) = (
      try next(UInt8.self), try next(PieceTable.Span.self), try next(PieceTable.Slot.self)
    )
    let kinds = try next(PieceKind.self)
    let mergeSlots = try next(MergeTable.Slot.self)
    try checkHashTable(pieceSlots) { $0.length != 0 }
    try checkHashTable(mergeSlots) { $0.pair != 0 }
    let tables = TokenizerTables(
      owner: file, pieces: PieceTable(bytes: pieceBytes, spans: spans, slots: pieceSlots), kinds: kinds,
      merges: MergeTable(slots: mergeSlots), joinsSpace: try next(),
      allAdded: AddedPieceTrie(nodes: try next(), first: try next()),
      plainAdded: AddedPieceTrie(nodes: try next(), first: try next()),
      byteTokens: try next(), asciiTokens: try next(),
      spaceToken: TokenID(truncatingIfNeeded: word(Word.spaceToken)),
      beginOfSequence: TokenID(truncatingIfNeeded: word(Word.beginOfSequence)))
    try check(tables)
    return tables
  }

  private static func aligned(_ offset: Int) -> Int { (offset + alignment - 1) / alignment * alignment }
}
