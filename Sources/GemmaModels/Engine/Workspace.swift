import GemmaRuntime

/// The activations of one chunk of tokens, side by side in one pool buffer.
///
/// Every region is a float32 matrix [rows, columns], most of them with a row for each token of a chunk; a narrower layer
/// uses the front of its region with rows of its own width.
final class Workspace {
  /// Rows of logits that are kept. The bits of a pass over so many tokens are those of single ones, and every cache
  /// leaves room to go back over them: what a round of drafts needs.
  static let logitRows = 9

  /// The most tokens of a chunk.
  let chunk: Int
  private let buffer: PoolBuffer
  private let offsets: [Int]

  init(_ layout: Layout, chunk: Int, contextLength: Int) throws(GemmaError) {
    self.chunk = chunk
    offsets = layout.offsets(chunk: chunk, contextLength: contextLength)
    buffer = try PoolBuffer(byteCount: offsets[offsets.count - 1] * MemoryLayout<Float>.size)
  }

  var heldBytes: Int { BufferPool.rounded(buffer.byteCount) }

  func base(_ region: Region) -> UnsafeMutablePointer<Float> { buffer.floats + offsets[region.rawValue] }

  /// Floats of a region.
  func count(_ region: Region) -> Int { offsets[region.rawValue + 1] - offsets[region.rawValue] }
}

/// Consecutive float32 rows inside the workspace.
struct Rows {
  let base: UnsafeMutablePointer<Float>
  let stride: Int

  func row(_ index: Int) -> UnsafeMutablePointer<Float> { base + index * stride }
}
