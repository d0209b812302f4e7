import Foundation
import GemmaRuntime

/// A stored tensor on its way into the file of a slice: the same parts of each of its rows.
struct SlicedTensor {
  let source: StoredTensor
  /// As written.
  let name: String
  let shape: [Int]
  /// Rows, or 1 where whole rows are kept or nothing is cut.
  private let rows: Int
  private let rowBytes: Int
  /// Bytes that are kept of a row.
  private let kept: [Range<Int>]

  /// Bytes that are copied between two looks at the outside world.
  private static let bufferSize = 4 << 20

  /// `name` is the stored one without prefix. Nil where the part is no whole number of stored elements: then it splits
  /// a group of quantised weights.
  init?(_ source: StoredTensor, name: String, _ part: SliceMap.Part) {
    self.source = source
    self.name = String(source.name.dropLast(name.count)) + part.name
    let bytes = source.byteCount
    var shape = source.shape
    guard !part.isWhole else {
      (rows, rowBytes, kept, self.shape) = (1, bytes, [0..<bytes], shape)
      return
    }
    guard shape.indices.contains(part.axis), shape.count == 2, shape[0] > 0 else { return nil }
    let length = shape[part.axis]
    guard part.kept.allSatisfy({ $0.lowerBound * length % part.total == 0 && $0.upperBound * length % part.total == 0 })
    else { return nil }
    rows = part.axis == 0 ? 1 : shape[0]
    rowBytes = bytes / rows
    let elementBytes = rowBytes / max(length, 1)
    func position(_ unit: Int) -> Int { unit * length / part.total * elementBytes }
    kept = part.kept.map { position($0.lowerBound)..<position($0.upperBound) }
    shape[part.axis] = part.keptCount * length / part.total
    self.shape = shape
  }

  var byteCount: Int { rows * kept.reduce(0) { $0 + $1.count } }

  /// Calls `body` with the kept bytes, in order, a buffer at a time.
  func forEachBuffer(_ body: (Data) throws -> Void) throws {
    try source.file.checkUnchanged()
    let bytes = source.bytes
    var buffer = Data()
    for row in 0..<rows {
      for part in kept {
        var rest = row * rowBytes + part.lowerBound..<row * rowBytes + part.upperBound
        while !rest.isEmpty {
          let end = min(rest.upperBound, rest.lowerBound + Self.bufferSize - buffer.count)
          buffer.append(contentsOf: bytes[rest.lowerBound..<end])
          rest = end..<rest.upperBound
          if buffer.count == Self.bufferSize {
            try body(buffer)
            buffer.removeAll(keepingCapacity: true)
          }
        }
      }
    }
    if !buffer.isEmpty { try body(buffer) }
  }
}
