import GemmaRuntime
import Synchronization
import Testing

private actor Pinned {
  nonisolated var unownedExecutor: UnownedSerialExecutor { ComputeThread.shared.asUnownedSerialExecutor() }

  func threadIdentity() -> UInt { currentThread() }
}

#if canImport(Glibc)
  import Glibc
  private func currentThread() -> UInt { UInt(pthread_self()) }
#elseif canImport(Darwin)
  import Darwin
  private func currentThread() -> UInt { UInt(bitPattern: pthread_self()) }
#endif

@Suite struct ParallelTests {
  @Test("every item is visited exactly once", arguments: [1, 2, 4], [0, 1, 7, 64, 1001])
  func coverage(threads: Int, count: Int) throws {
    let visits = Mutex([Int](repeating: 0, count: count))
    try Parallel.team(threads: threads) {
      for grain in [1, 3, 64] {
        Parallel.forEach(count, grain: grain) { range in
          visits.withLock { for index in range { $0[index] += 1 } }
        }
      }
    }
    #expect(visits.withLock { $0.allSatisfy { $0 == 3 } })
  }

  @Test("behind a raised signal no share begins, on one thread and on several", arguments: [1, 2, 4])
  func stops(threads: Int) throws {
    let visited = Mutex(0)
    let stop = StopSignal()
    try Parallel.team(threads: threads) {
      Parallel.forEach(1000, unless: stop) { range in
        stop.raise()
        visited.withLock { $0 += range.count }
      }
      // Each thread may have begun one share, an eighth of its part, before it could see the signal.
      let first = visited.withLock { $0 }
      #expect(first > 0 && first <= 1000 / 8 + threads)
      Parallel.forEach(1000, unless: stop) { range in visited.withLock { $0 += range.count } }
      #expect(visited.withLock { $0 } == first)
    }
    #expect(throws: CancellationError.self) { try stop.check() }
  }

  @Test("an error thrown in the team's body arrives at the caller")
  func errors() {
    #expect(throws: GemmaError.invalidInput("x")) {
      try Parallel.team(threads: 2) { throw GemmaError.invalidInput("x") }
    }
  }

  @Test("all work of all actors pinned to the compute thread runs on one thread")
  func oneThread() async throws {
    for _ in 0..<2 { try ComputeThread.shared.start() }  // the second time does nothing
    let identities = await withTaskGroup(of: UInt.self) { group in
      for _ in 0..<50 { group.addTask { await Pinned().threadIdentity() } }
      return await group.reduce(into: Set<UInt>()) { $0.insert($1) }
    }
    #expect(identities.count == 1)
  }
}
