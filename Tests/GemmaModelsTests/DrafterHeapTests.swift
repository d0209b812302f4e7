#if canImport(Glibc) && arch(x86_64)
  import GemmaModels
  import GemmaRuntime
  import GemmaTestSupport
  import Glibc
  import Testing

  /// The heap belongs to the whole process and other tests run in this one: these have their own.
  @Suite struct DrafterHeapTests {
    @Test("a drafter with clusters hands out scores of the whole vocabulary without a byte of the heap for them")
    func scores() async {
      await #expect(processExitsWith: .success) {
        let (timeline, source) = try DraftingPair("demo4").opened([2, 5, 9], ComputeOptions(threads: 1))
        let pool = BufferPool.shared.counters
        var growth: [Int] = []
        for _ in 0..<3 {
          let before = DrafterHeapTests.bytesInUse
          #expect(before > 0)
          let request = DraftRequest(8, after: 7, on: timeline) {
            growth.append(DrafterHeapTests.bytesInUse - before)
            #expect($0.count == 4096 && $0.contains(-.infinity))
            return DraftRequest.likeliest($0, $1, $2)
          }
          #expect(try source.draft(request).count == 8)
        }
        #expect(growth.count == 24)
        // The first round takes what is kept for the following ones.
        #expect(growth.dropFirst(8).allSatisfy { $0 < 4096 }, "\(growth)")
        #expect(BufferPool.shared.counters == pool)
      }
    }

    /// Allocated and not freed, large allocations with mappings of their own included.
    private static var bytesInUse: Int {
      // `mallinfo2` is not in the module of the C library. It returns ten numbers through a pointer that comes first.
      typealias Function = @convention(c) (UnsafeMutablePointer<Int>) -> UnsafeMutablePointer<Int>?
      guard let symbol = dlsym(nil, "mallinfo2") else { return 0 }
      var numbers = [Int](repeating: 0, count: 10)
      _ = unsafeBitCast(symbol, to: Function.self)(&numbers)
      return numbers[4] + numbers[7]  // hblkhd, uordblks
    }
  }
#endif
