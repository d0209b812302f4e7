import Tensors

/// Finds the longest added piece that starts at a position of the raw text.
///
/// A byte trie: a search costs at most the length of the longest piece, however many pieces there are.
struct AddedPieceTrie: Sendable {
  private struct Node {
    var byte: UInt8
    var child: Int32 = 0
    var sibling: Int32 = 0
    var token: TokenID = -1
  }

  /// Node 0 is the root; as a link, 0 means none.
  private var nodes = [Node(byte: 0)]
  /// The root's children by byte: most positions of a text end here.
  private var first = [Int32](repeating: 0, count: 256)

  mutating func insert(_ piece: UnsafeBufferPointer<UInt8>, _ token: TokenID) {
    var node: Int32 = 0
    for byte in piece { node = child(of: node, byte) ?? append(byte, to: node) }
    nodes[Int(node)].token = token
  }

  /// The longest piece at `position`, its length in bytes included.
  @inline(__always)
  func match(_ text: UnsafeBufferPointer<UInt8>, at position: Int) -> (token: TokenID, length: Int)? {
    var node = first[Int(text[position])]
    guard node != 0 else { return nil }
    var best: (token: TokenID, length: Int)?
    var end = position + 1
    while true {
      if nodes[Int(node)].token >= 0 { best = (nodes[Int(node)].token, end - position) }
      guard end < text.count, let next = child(of: node, text[end]) else { return best }
      node = next
      end += 1
    }
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
      nodes.append(Node(byte: byte))
      first[Int(byte)] = new
    } else {
      nodes.append(Node(byte: byte, sibling: nodes[Int(node)].child))
      nodes[Int(node)].child = new
    }
    return new
  }
}
