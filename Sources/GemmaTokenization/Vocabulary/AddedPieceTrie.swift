import GemmaRuntime

/// Finds the longest added piece that starts at a position of the raw text.
///
/// A byte trie: a search costs at most the length of the longest piece, however many pieces there are.
struct AddedPieceTrie: Sendable {
  struct Node {
    var byte: UInt32
    /// Links are indices of nodes; 0 means none. A child lies behind its parent, a sibling in front of the node.
    var child: Int32 = 0
    var sibling: Int32 = 0
    /// The piece that ends here, or -1.
    var token: TokenID = -1
  }

  // Sendable although pointers: nobody writes to a trie that is built, and its tokenizer keeps the memory alive.
  /// Node 0 is the root.
  nonisolated(unsafe) let nodes: UnsafeBufferPointer<Node>
  /// The root's children by byte: most positions of a text end here.
  nonisolated(unsafe) let first: UnsafeBufferPointer<Int32>

  /// The longest piece at `position`, its length in bytes included.
  @inline(__always)
  func match(_ text: UnsafeBufferPointer<UInt8>, at position: Int) -> (token: TokenID, length: Int)? {
    var node = first[Int(text[position])]
    guard node != 0 else { return nil }
    var best: (token: TokenID, length: Int)?
    var end = position + 1
    while true {
      if nodes[Int(node)].token >= 0 { best = (nodes[Int(node)].token, end - position) }
      guard end < text.count else { return best }
      node = nodes[Int(node)].child
      while node != 0 && nodes[Int(node)].byte != UInt32(text[end]) { node = nodes[Int(node)].sibling }
      guard node != 0 else { return best }
      end += 1
    }
  }
}

/// Grows a trie piece by piece.
struct AddedPieceTrieBuilder {
  private var nodes = [AddedPieceTrie.Node(byte: 0)]
  private var first = [Int32](repeating: 0, count: 256)

  mutating func insert(_ piece: UnsafeBufferPointer<UInt8>, _ token: TokenID) {
    var node: Int32 = 0
    for byte in piece { node = child(of: node, byte) ?? append(byte, to: node) }
    nodes[Int(node)].token = token
  }

  func build(in arena: TableArena) throws(TableArena.Exhausted) -> AddedPieceTrie {
    AddedPieceTrie(nodes: try arena.copy(nodes), first: try arena.copy(first))
  }

  private func child(of node: Int32, _ byte: UInt8) -> Int32? {
    var child = node == 0 ? first[Int(byte)] : nodes[Int(node)].child
    while child != 0 {
      if nodes[Int(child)].byte == byte { return child }
      child = nodes[Int(child)].sibling
    }
    return nil
  }

  private mutating func append(_ byte: UInt8, to node: Int32) -> Int32 {
    let new = Int32(truncatingIfNeeded: nodes.count)
    if node == 0 {
      nodes.append(AddedPieceTrie.Node(byte: UInt32(byte)))
      first[Int(byte)] = new
    } else {
      nodes.append(AddedPieceTrie.Node(byte: UInt32(byte), sibling: nodes[Int(node)].child))
      nodes[Int(node)].child = new
    }
    return new
  }
}
