import GemmaJSON
import GemmaRuntime

/// Reads a stretch of the merges of a `tokenizer.json`, as pairs `["a", "b"]` or as strings `"a b"`.
///
/// A merge whose parts or whole are no pieces of the model cannot happen and is left out. So is one that would make a
/// control piece: those never come out of text.
struct MergeReader {
  private struct Merge {
    /// Where the left part lies in the scratch; the right one follows.
    var start: Int
    var left: Int
    var right: Int
    var leftKey: PieceKey
    var rightKey: PieceKey
    var rank: UInt32
  }

  private static let batchSize = 64
  /// About as many bytes of the file as one merge takes, to reserve memory.
  private static let usualLength = 16

  private(set) var scanner: JSONScanner
  /// Whether the list's closing bracket was taken.
  private(set) var isAtEnd = false
  /// The merges that can happen. Ranks count from the start of this stretch.
  private(set) var entries: [MergeTable.Slot] = []
  /// Merges read, whether they can happen or not.
  private(set) var count: UInt32 = 0
  /// Entry b: some merge joins a piece whose last byte is b to one that starts with a marked space.
  private(set) var joinsSpace = [Bool](repeating: false, count: 256)

  private let pieces: PieceTable
  private let kinds: UnsafeMutableBufferPointer<PieceKind>
  private let scratch: UnsafeMutablePointer<UInt8>
  private var isAtStart: Bool
  private var batch: [Merge] = []
  /// What the last merge made: lists are mostly in the order of what they make.
  private var lastMerged: TokenID = 0
  private var lastTouched: UInt32 = 0

  /// - Parameters:
  ///   - scanner: Behind the list's opening bracket, or at the comma behind an element.
  ///   - scratch: Room for all strings of the stretch and eight bytes more.
  init(_ scanner: JSONScanner, atStart: Bool, _ builder: PieceTableBuilder, scratch: UnsafeMutablePointer<UInt8>) {
    self.scanner = scanner
    isAtStart = atStart
    pieces = builder.table
    kinds = builder.kinds
    self.scratch = scratch
    batch.reserveCapacity(Self.batchSize)
  }

  /// Reads to the end of the list, or of the first element that ends at `stop` or behind it.
  mutating func read(until stop: Int) throws(JSONFault) {
    entries.reserveCapacity((min(stop, scanner.count) - scanner.position) / Self.usualLength)
    var used = 0
    while isAtStart || endOfElement() < stop {
      guard try scanner.hasNext(&isAtStart, closing: "]") else {
        isAtEnd = true
        break
      }
      let text = scratch + used
      let (left, right) = try readParts(into: text)
      if left > 0 && right > 0 {
        batch.append(
          Merge(
            start: used, left: left, right: right, leftKey: PieceKey(padded: text, left),
            rightKey: PieceKey(padded: text + left, right), rank: count))
        used += left + right
      }
      count &+= 1
      if batch.count == Self.batchSize {
        enterBatch()
        used = 0
      }
    }
    enterBatch()
  }

  /// Where the comma or bracket behind an element is.
  @inline(__always)
  private mutating func endOfElement() -> Int {
    _ = scanner.peek()
    return scanner.position
  }

  /// The lengths of both parts, which are written one behind the other.
  @inline(__always)
  private mutating func readParts(into text: UnsafeMutablePointer<UInt8>) throws(JSONFault) -> (left: Int, right: Int) {
    if scanner.peek() == 0x5B {
      scanner.position += 1
      let left = try scanner.string(into: text)
      try scanner.expect(",")
      let right = try scanner.string(into: text + left)
      try scanner.expect("]")
      return (left, right)
    }
    let length = try scanner.string(into: text)
    guard let space = (0..<length).first(where: { text[$0] == 0x20 }) else {
      throw scanner.fault("a merge without a space between its parts")
    }
    let right = length - space - 1
    (text + space).update(from: text + space + 1, count: right)
    return (space, right)
  }

  /// Looks up many merges at once: the table is larger than the nearer caches, and reads that do not wait for each
  /// other overlap. The loop that only touches is short, so that the processor has many of its reads under way.
  private mutating func enterBatch() {
    for merge in batch { lastTouched ^= pieces.touch(merge.leftKey) ^ pieces.touch(merge.rightKey) }
    for merge in batch { enter(merge) }
    batch.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  private mutating func enter(_ merge: Merge) {
    let text = UnsafePointer(scratch + merge.start)
    let right = text + merge.left
    let length = merge.left + merge.right
    guard let leftID = pieces.find(merge.leftKey, text), let rightID = pieces.find(merge.rightKey, right),
      let merged = predict(text, length) ?? pieces.find(PieceKey(padded: text, length), text)
    else { return }
    lastMerged = merged
    guard kinds[Int(merged)] != .control else { return }
    entries.append(MergeTable.Slot(pair: MergeTable.pair(leftID, rightID), rank: merge.rank, merged: merged))
    if kinds[Int(leftID)] == .byte || kinds[Int(rightID)] == .byte {
      // A byte piece is spelt "<0x..>" but stands for another byte: spellings no longer tell what precedes a space.
      joinsSpace = [Bool](repeating: true, count: 256)
    } else if merge.right >= 3, right[0] == 0xE2, right[1] == 0x96, right[2] == 0x81 {
      joinsSpace[Int(right[-1])] = true
    }
  }

  /// What a merge makes, if that is what the last one made or a piece soon behind it: most are, and these lie in the
  /// nearer caches.
  @inline(__always)
  private func predict(_ text: UnsafePointer<UInt8>, _ length: Int) -> TokenID? {
    for id in Int(lastMerged)..<min(Int(lastMerged) + 3, kinds.count) {
      let id = TokenID(truncatingIfNeeded: id)
      if pieces.isSpelt(id, text, length) { return id }
    }
    return nil
  }
}
