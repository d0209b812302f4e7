import GemmaRuntime
import Testing

@Suite struct BufferPoolTests {
  @Test("counters follow every buffer and return to where they were")
  func counters() throws {
    let pool = BufferPool()
    do {
      let first = try PoolBuffer(byteCount: 5000, pool: pool)
      let second = try PoolBuffer(byteCount: 1, pool: pool)
      first.floats[1249] = 1
      second.floats[0] = 2
      #expect(pool.counters.active == 8192 + 4096)
      #expect(pool.counters.cached == 0)
      #expect(pool.counters.buffers == 2)
    }
    #expect(pool.counters.active == 0 && pool.counters.buffers == 0)
    #expect(pool.counters.cached == 8192 + 4096)
    #expect(pool.counters.peak == 8192 + 4096)
    pool.clearCache()
    #expect(pool.counters.cached == 0)
    pool.resetPeak()
    #expect(pool.counters.peak == 0)
  }

  @Test("freed buffers of the same size are handed out again")
  func reuse() throws {
    let pool = BufferPool()
    let address = try PoolBuffer(byteCount: 4096, pool: pool).base
    let again = try PoolBuffer(byteCount: 4000, pool: pool)
    #expect(again.base == address)
    #expect(pool.counters.cached == 0)
  }

  @Test("the cache never holds more than its limit, at any instant")
  func cacheLimit() throws {
    let pool = BufferPool()
    pool.cacheLimit = 8192
    for _ in 0..<3 {
      var buffers = try (0..<4).map { _ in try PoolBuffer(byteCount: 4096, pool: pool) }
      while !buffers.isEmpty {
        buffers.removeLast()
        #expect(pool.counters.cached <= 8192)
      }
    }
    #expect(pool.counters.cached == 8192)
    pool.cacheLimit = 0
    #expect(pool.counters.cached == 0)
  }

  @Test("an allocation beyond the memory limit throws and changes nothing")
  func memoryLimit() throws {
    let pool = BufferPool()
    pool.memoryLimit = 10_000
    let held = try PoolBuffer(byteCount: 8192, pool: pool)
    #expect(throws: GemmaError.memoryLimitExceeded(limit: 10_000, required: 12_288)) {
      _ = try PoolBuffer(byteCount: 4096, pool: pool)
    }
    #expect(pool.counters.active == held.byteCount)
  }

  @Test("a size no machine has is refused, not trapped on")
  func absurdSize() {
    #expect(throws: GemmaError.self) { _ = try PoolBuffer(byteCount: Int.max - 8192, pool: BufferPool()) }
  }
}
