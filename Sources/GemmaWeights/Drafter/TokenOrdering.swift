import Foundation
package import GemmaRuntime

/// The pieces of the vocabulary in the order of their clusters, as they lie in a mapped drafter: a permutation.
/// Sendable although it holds a pointer: it leads into a read-only mapping that `file` keeps alive.
package struct TokenOrdering: @unchecked Sendable {
  private let bytes: UnsafeRawBufferPointer
  private let file: MappedFile

  fileprivate init(_ bytes: UnsafeRawBufferPointer, _ file: MappedFile) {
    self.bytes = bytes
    self.file = file
  }

  package var count: Int { bytes.count / MemoryLayout<Int64>.size }

  /// The piece at a place of the order.
  package subscript(place: Int) -> TokenID { TokenID(truncatingIfNeeded: stored(place)) }

  private func stored(_ place: Int) -> Int64 {
    // Mapped tensors begin anywhere.
    Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: place * MemoryLayout<Int64>.size, as: Int64.self))
  }

  /// The place of the first entry that is no piece or one that was there before; nil for a permutation.
  fileprivate var firstWrongPlace: Int? {
    var seen = [Bool](repeating: false, count: count)
    for place in 0..<count {
      let id = stored(place)
      guard id >= 0, id < count, !seen[Int(id)] else { return place }
      seen[Int(id)] = true
    }
    return nil
  }
}

extension Checkpoint {
  /// The I64 vector of this full name, which must hold each of 0 ..< count once. Reads it whole.
  package func tokenOrdering(_ name: String, count: Int) throws(GemmaError) -> TokenOrdering {
    let stored = try store.tensor(name, shape: [count])
    guard stored.type == .i64 else {
      throw .unsupportedModel("tensor \"\(name)\": expected I64, found \(stored.type.rawValue)")
    }
    let ordering = TokenOrdering(stored.bytes, stored.file)
    if let place = ordering.firstWrongPlace {
      throw .malformedFile(
        stored.file.url,
        reason: "tensor \"\(name)\" is no permutation of 0 ..< \(count): entry \(place) is outside or there twice")
    }
    return ordering
  }
}
