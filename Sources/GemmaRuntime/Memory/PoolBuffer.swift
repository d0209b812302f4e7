/// Bytes owned by the pool for as long as the object lives. Contents are undefined at first.
package final class PoolBuffer {
  package let base: UnsafeMutableRawPointer
  package let byteCount: Int
  private let pool: BufferPool

  package init(byteCount: Int, pool: BufferPool = .shared) throws(GemmaError) {
    base = try pool.take(byteCount)
    self.byteCount = byteCount
    self.pool = pool
  }

  deinit { pool.give(base, byteCount) }

  package var floats: UnsafeMutablePointer<Float> { base.assumingMemoryBound(to: Float.self) }
}
