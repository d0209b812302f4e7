#if os(macOS) || os(Linux)
  import Gemma
  import GemmaRuntime
  import Testing

  /// The counters belong to the whole process and other tests run in this one: these have their own.
  @Suite struct SamplerMemoryTests {
    @Test("candidates by the thousand come from the pool, the few of usual filters do not, and all is given back")
    func candidates() async {
      await #expect(processExitsWith: .success) {
        let logits = [Float](repeating: 1, count: 1 << 17)
        for (topK, bytes) in [(64, 0), (4096, 0), (100_000, 1_600_000)] {
          BufferPool.shared.resetPeak()
          let sampler = Sampler(draw: .init(temperature: 1, topK: topK, topP: nil, minP: nil, seed: 1))
          _ = try logits.withUnsafeBufferPointer { try sampler.next($0, position: 0, history: []) }
          let counters = BufferPool.shared.counters
          #expect(counters.peak == (bytes > 0 ? BufferPool.rounded(bytes) : 0), "top-k \(topK)")
          #expect(counters.active == 0)
        }
      }
    }
  }
#endif
