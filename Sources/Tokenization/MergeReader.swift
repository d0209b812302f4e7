import Tensors

/// Reads the merges of a `tokenizer.json`, as pairs `["a", "b"]` or as strings `"a b"`.
///
/// A merge whose parts or whole are no pieces of the model cannot happen and is left out. So is one that would make a
/// control piece: those never come out of text.
struct MergeReader {
  private struct Merge {
    /// Both parts, one behind the other.
    var text: UnsafeMutablePointer<UInt8>
    var left: Int
    var right: Int
  }

  private static let batchSize = 32

  private let pieces: PieceTable
  private let kinds: [PieceKind]
  private var pairs: [UInt64] = []
  private var results: [UInt64] = []
  private var rank: UInt64 = 0
  private var batch: [Merge] = []
  private var keys: [PieceKey] = []
  private var lastTouched: UInt32 = 0
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
    var used = 0
    try scanner.expect("[")
    var first = true
    while try scanner.hasNext(&first, closing: "]") {
      let merge = try readMerge(&scanner, into: scratch + used)
      used += merge.left + merge.right
      batch.append(merge)
      if batch.count == Self.batchSize {
        enterBatch()
        used = 0
      }
    }
    enterBatch()
  }

  @inline(__always)
  private mutating func readMerge(
    _ scanner: inout JSONScanner, into text: UnsafeMutablePointer<UInt8>
  ) throws(JSONFault) -> Merge {
    if scanner.peek() == 0x5B {
      scanner.position += 1
      let left = try scanner.string(into: text)
      try scanner.expect(",")
      let right = try scanner.string(into: text + left)
      try scanner.expect("]")
      return Merge(text: text, left: left, right: right)
    }
    let length = try scanner.string(into: text)
    guard let space = (0..<length).first(where: { text[$0] == 0x20 }) else {
      throw scanner.fault("a merge without a space between its parts")
    }
    let right = length - space - 1
    (text + space).update(from: text + space + 1, count: right)
    return Merge(text: text, left: space, right: right)
  }

  /// Looks up many merges at once: the table is larger than the nearer caches, and reads that do not wait for each
  /// other overlap.
  private mutating func enterBatch() {
    keys.removeAll(keepingCapacity: true)
    var touched: UInt32 = 0
    for merge in batch where merge.left > 0 && merge.right > 0 {
      let right = merge.text + merge.left
      let parts = (
        PieceKey(merge.text, merge.left), PieceKey(right, merge.right), PieceKey(merge.text, merge.left + merge.right)
      )
      touched ^= pieces.touch(parts.0) ^ pieces.touch(parts.1) ^ pieces.touch(parts.2)
      keys.append(parts.0)
      keys.append(parts.1)
      keys.append(parts.2)
    }
    lastTouched = touched
    var key = 0
    for merge in batch {
      if merge.left > 0 && merge.right > 0 {
        enter(merge, keys[key], keys[key + 1], keys[key + 2])
        key += 3
      }
      rank += 1
    }
    batch.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  private mutating func enter(_ merge: Merge, _ leftKey: PieceKey, _ rightKey: PieceKey, _ mergedKey: PieceKey) {
    let text = UnsafePointer(merge.text)
    let right = text + merge.left
    guard let leftID = pieces.find(leftKey, text), let rightID = pieces.find(rightKey, right),
      let merged = pieces.find(mergedKey, text), kinds[Int(merged)] != .control
    else { return }
    pairs.append(MergeTable.pair(leftID, rightID))
    results.append(rank << 32 | UInt64(UInt32(bitPattern: merged)))
    if kinds[Int(leftID)] == .byte || kinds[Int(rightID)] == .byte {
      // A byte piece is spelt "<0x..>" but stands for another byte: spellings no longer tell what precedes a space.
      joinsSpace = [Bool](repeating: true, count: 256)
    } else if merge.right >= 3, right[0] == 0xE2, right[1] == 0x96, right[2] == 0x81 {
      joinsSpace[Int(right[-1])] = true
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
