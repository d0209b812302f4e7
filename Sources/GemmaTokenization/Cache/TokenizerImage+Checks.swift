import GemmaRuntime

extension TokenizerImage {
  /// More occupied slots side by side than any honest table has; a search through more of them would take too long.
  private static let longestStretch = 4096

  /// The sizes that the hash function relies on, and a free slot soon behind each occupied one.
  static func checkHashTable<Slot>(
    _ slots: UnsafeBufferPointer<Slot>, isOccupied: (Slot) -> Bool
  ) throws(Damage) {
    guard slots.count >= 2, slots.count.nonzeroBitCount == 1 else {
      throw Damage(reason: "a hash table whose size is no power of two")
    }
    var (stretch, longest) = (0, 0)
    for slot in slots {
      stretch = isOccupied(slot) ? stretch &+ 1 : 0
      longest = max(longest, stretch)
    }
    // A stretch at the end goes on at the start.
    var position = 0
    while position < slots.count && isOccupied(slots[position]) { position += 1 }
    longest = max(longest, stretch + position)
    guard longest < min(slots.count, longestStretch) else { throw Damage(reason: "a hash table without free slots") }
  }

  /// That every index in the tables lies inside them.
  static func check(_ tables: TokenizerTables) throws(Damage) {
    let count = UInt32(clamping: tables.kinds.count)
    func isToken(_ token: TokenID) -> Bool { UInt32(bitPattern: token) < count }
    func areTokens(_ tokens: UnsafeBufferPointer<TokenID>) -> Bool { tokens.allSatisfy(isToken) }
    guard count > 0, count <= UInt32(TokenID.max), tables.pieces.spans.count == tables.kinds.count else {
      throw Damage(reason: "tables of different sizes")
    }
    guard tables.joinsSpace.count == 256, tables.byteTokens.count == 256, tables.asciiTokens.count == 128,
      tables.allAdded.first.count == 256, tables.plainAdded.first.count == 256
    else { throw Damage(reason: "a table of a wrong size") }
    let byteCount = UInt64(tables.pieces.bytes.count)
    var areInside = true
    for span in tables.pieces.spans {
      areInside = areInside && UInt64(span.start) &+ UInt64(span.length) <= byteCount
    }
    for slot in tables.pieces.slots { areInside = areInside && isToken(slot.token) }
    for slot in tables.merges.slots { areInside = areInside && isToken(slot.merged) }
    areInside = areInside && areTokens(tables.byteTokens) && areTokens(tables.asciiTokens)
    areInside = areInside && isToken(tables.spaceToken) && isToken(tables.beginOfSequence)
    guard areInside else { throw Damage(reason: "an index outside its table") }
    for trie in [tables.allAdded, tables.plainAdded] {
      guard isSound(trie, isToken) else { throw Damage(reason: "a trie with a wrong link") }
    }
  }

  /// Links lead to nodes, and never in a circle: children lie behind their parent, siblings in front of each other.
  private static func isSound(_ trie: AddedPieceTrie, _ isToken: (TokenID) -> Bool) -> Bool {
    let count = Int32(clamping: trie.nodes.count)
    return trie.first.allSatisfy { $0 >= 0 && $0 < count }
      && trie.nodes.enumerated().allSatisfy { index, node in
        (node.child == 0 || node.child > index && node.child < count)
          && node.sibling >= 0 && node.sibling < max(index, 1) && (node.token == -1 || isToken(node.token))
      }
  }
}
