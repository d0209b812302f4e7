import Tensors

/// Reads the merges of a `tokenizer.json`, as pairs `["a", "b"]` or as strings `"a b"`.
///
/// A merge whose parts or whole are no pieces of the model cannot happen and is left out. So is one that would make a
/// control piece: those never come out of text.
struct MergeReader {
  private let pieces: PieceTable
  private let kinds: [PieceKind]
  private var pairs: [UInt64] = []
  private var results: [UInt64] = []
  private var rank: UInt64 = 0
  /// Entry b: some merge joins a piece whose last byte is b to one that starts with a marked space.
  private(set) var joinsSpace = [Bool](repeating: false, count: 256)

  init(pieces: PieceTable, kinds: [PieceKind]) {
    self.pieces = pieces
    self.kinds = kinds
    pairs.reserveCapacity(2 * kinds.count)
    results.reserveCapacity(2 * kinds.count)
  }

  var table: MergeTable { MergeTable(pairs: pairs, results: results) }

  /// - Parameter scratch: Room for as many bytes as the file has.
  mutating func read(_ scanner: JSONScanner, scratch: UnsafeMutablePointer<UInt8>) throws(JSONFault) {
    var scanner = scanner
    try scanner.expect("[")
    var first = true
    while try scanner.hasNext(&first, closing: "]") {
      let left: Int
      let right: Int
      if scanner.peek() == 0x5B {
        scanner.position += 1
        left = try scanner.string(into: scratch)
        try scanner.expect(",")
        right = try scanner.string(into: scratch + left)
        try scanner.expect("]")
      } else {
        let length = try scanner.string(into: scratch)
        guard let space = (0..<length).first(where: { scratch[$0] == 0x20 }) else {
          throw scanner.fault("a merge without a space between its parts")
        }
        left = space
        right = length - space - 1
        (scratch + left).update(from: scratch + left + 1, count: right)
      }
      enter(scratch, left, right)
      rank += 1
    }
  }

  @inline(__always)
  private mutating func enter(_ text: UnsafeMutablePointer<UInt8>, _ left: Int, _ right: Int) {
    guard left > 0, right > 0 else { return }
    let hash = PieceTable.hash(text, left)
    guard let leftID = pieces.find(text, left, hash: hash),
      let rightID = pieces.find(text + left, right, hash: PieceTable.hash(text + left, right)),
      let merged = pieces.find(text, left + right, hash: PieceTable.hash(text + left, right, from: hash)),
      kinds[Int(merged)] != .control
    else { return }
    pairs.append(MergeTable.pair(leftID, rightID))
    results.append(rank << 32 | UInt64(UInt32(bitPattern: merged)))
    if kinds[Int(leftID)] == .byte || kinds[Int(rightID)] == .byte {
      // A byte piece is spelt "<0x..>" but stands for another byte: spellings no longer tell what precedes a space.
      joinsSpace = [Bool](repeating: true, count: 256)
    } else if right >= 3, text[left] == 0xE2, text[left + 1] == 0x96, text[left + 2] == 0x81 {
      joinsSpace[Int(text[left - 1])] = true
    }
  }
}

/// What an id stands for.
enum PieceKind: UInt8, Sendable {
  /// No piece has this id.
  case missing
  case text
  /// One byte, spelt `<0x00>` to `<0xFF>`.
  case byte
  /// A mark of the model's own protocol, such as `<bos>` or `<end_of_turn>`: never made from text.
  case control
}
