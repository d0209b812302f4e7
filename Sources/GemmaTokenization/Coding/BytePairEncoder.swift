import GemmaRuntime

/// Merges the symbols of one stretch of text, lowest rank first, leftmost first among equals.
///
/// The symbols form a linked list and the possible merges a binary heap, so that a stretch of n scalars costs
/// O(n log n) however long it is. One encoder serves a whole text and keeps its storage.
struct BytePairEncoder {
  private struct Symbol {
    var token: TokenID
    var previous: Int32
    var next: Int32
    /// Of the merge with the next symbol; `MergeTable.never` if there is none or this symbol is gone.
    var rank: UInt32
    var merged: TokenID
  }

  private let merges: MergeTable
  private var symbols: [Symbol] = []
  /// Rank in the upper half, position of the left symbol in the lower. Entries may be outdated.
  private var heap: [UInt64] = []

  init(merges: MergeTable) { self.merges = merges }

  var isEmpty: Bool { symbols.isEmpty }

  @inline(__always)
  mutating func append(_ token: TokenID) {
    let position = Int32(truncatingIfNeeded: symbols.count)
    symbols.append(Symbol(token: token, previous: position - 1, next: -1, rank: MergeTable.never, merged: 0))
  }

  /// Merges what was appended since the last call, and moves the result to `output`.
  mutating func flush(into output: inout [TokenID]) {
    guard symbols.count > 1 else {
      if let only = symbols.first { output.append(only.token) }
      symbols.removeAll(keepingCapacity: true)
      return
    }
    for position in 0..<symbols.count - 1 {
      symbols[position].next = Int32(truncatingIfNeeded: position + 1)
      findMerge(at: position)
    }
    while let top = popHeap() {
      let position = Int(UInt32(truncatingIfNeeded: top))
      // Outdated: one of the two symbols has become part of another since.
      guard symbols[position].rank == UInt32(truncatingIfNeeded: top >> 32) else { continue }
      merge(at: position)
    }
    var position = 0
    while position >= 0 {
      output.append(symbols[position].token)
      position = Int(symbols[position].next)
    }
    symbols.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  private mutating func merge(at position: Int) {
    let right = Int(symbols[position].next)
    symbols[position].token = symbols[position].merged
    symbols[right].rank = MergeTable.never
    let next = symbols[right].next
    symbols[position].next = next
    if next >= 0 { symbols[Int(next)].previous = Int32(truncatingIfNeeded: position) }
    findMerge(at: position)
    let previous = symbols[position].previous
    if previous >= 0 { findMerge(at: Int(previous)) }
  }

  @inline(__always)
  private mutating func findMerge(at position: Int) {
    let next = symbols[position].next
    guard next >= 0 else {
      symbols[position].rank = MergeTable.never
      return
    }
    let found = merges.lookup(symbols[position].token, symbols[Int(next)].token)
    symbols[position].rank = found.rank
    symbols[position].merged = found.merged
    if found.rank != MergeTable.never { pushHeap(UInt64(found.rank) << 32 | UInt64(position)) }
  }

  @inline(__always)
  private mutating func pushHeap(_ entry: UInt64) {
    heap.append(entry)
    heap.withUnsafeMutableBufferPointer { heap in
      var child = heap.count - 1
      while child > 0 {
        let parent = (child - 1) / 2
        if heap[parent] <= entry { break }
        heap[child] = heap[parent]
        child = parent
      }
      heap[child] = entry
    }
  }

  @inline(__always)
  private mutating func popHeap() -> UInt64? {
    guard let top = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return top }
    heap.withUnsafeMutableBufferPointer { heap in
      var parent = 0
      while true {
        var child = 2 * parent + 1
        guard child < heap.count else { break }
        if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
        if last <= heap[child] { break }
        heap[parent] = heap[child]
        parent = child
      }
      heap[parent] = last
    }
    return top
  }
}
