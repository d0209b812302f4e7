import Foundation
import GemmaKernels
import Synchronization
import Testing

/// Counts how often each item of a loop was done. Items are touched by one thread each, if the loop keeps its promise;
/// atomics, so that a broken promise is counted and not undefined.
private final class Tally: Sendable {
  let items: [Counter]
  let smallest = Mutex(Int.max)

  final class Counter: Sendable {
    let value = Atomic<Int>(0)
  }

  init(_ count: Int) {
    items = (0..<count).map { _ in Counter() }
  }

  func done(_ range: Range<Int>) {
    for i in range { items[i].value.add(1, ordering: .relaxed) }
    smallest.withLock { $0 = min($0, range.count) }
  }

  func allEqual(_ times: Int) -> Bool {
    items.allSatisfy { $0.value.load(ordering: .relaxed) == times }
  }
}

/// Calls a closure from C.
private final class Closure {
  let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }
}

private func team(_ threads: Int, _ body: @escaping () -> Void) {
  let closure = Closure(body)
  withExtendedLifetime(closure) {
    ck_team_run(
      threads,
      { context in
        if let context { Unmanaged<Closure>.fromOpaque(context).takeUnretainedValue().body() }
      }, Unmanaged.passUnretained(closure).toOpaque())
  }
}

private func loop(_ count: Int, grain: Int, _ tally: Tally) {
  ck_for(
    count, grain,
    { context, begin, end in
      if let context { Unmanaged<Tally>.fromOpaque(context).takeUnretainedValue().done(begin..<end) }
    }, Unmanaged.passUnretained(tally).toOpaque())
}

@Suite("Thread team", .serialized)
struct ParallelTests {
  @Test("every item exactly once, in shares of at least the grain", arguments: [1, 2, 3, 4])
  func exactlyOnce(threads: Int) {
    team(threads) {
      #expect(ck_team_size() == threads)
      for count in [0, 1, 2, 3, 7, 16, 31, 33, 100, 1000] {
        for grain in [0, 1, 3, 16, 2000] {
          let tally = Tally(count)
          loop(count, grain: grain, tally)
          #expect(tally.allEqual(1), "\(count) items, grain \(grain)")
          if count > 0 { #expect(tally.smallest.withLock { $0 } >= min(grain, count)) }
        }
      }
    }
    #expect(ck_team_size() == 1)
  }

  @Test("thousands of loops in a row", arguments: [2, 4])
  func manyLoops(threads: Int) {
    let tally = Tally(37)
    team(threads) { for _ in 0..<5000 { loop(37, grain: 1, tally) } }
    #expect(tally.allEqual(5000))
  }

  @Test("a loop returns only after its slowest share")
  func slowShares() {
    let tally = Tally(2)
    team(2) {
      for round in 1...30 {
        // The helper starts its share a little after the caller, so it also ends later.
        ck_for(
          2, 1,
          { context, begin, end in
            guard let context else { return }
            usleep(1000)
            Unmanaged<Tally>.fromOpaque(context).takeUnretainedValue().done(begin..<end)
          }, Unmanaged.passUnretained(tally).toOpaque())
        #expect(tally.allEqual(round))
      }
    }
  }

  @Test("loops far apart wake sleeping helpers")
  func sleepingHelpers() {
    let tally = Tally(20)
    team(2) {
      for _ in 0..<50 {
        usleep(300)
        loop(20, grain: 1, tally)
      }
    }
    #expect(tally.allEqual(50))
  }

  @Test("many teams one after another")
  func manyTeams() {
    let tally = Tally(9)
    for _ in 0..<300 { team(2) { loop(9, grain: 1, tally) } }
    #expect(tally.allEqual(300))
  }

  @Test("the shares of a thread that does not come are stolen by the others")
  func stolenShares() {
    let tally = Tally(60)
    // More threads than processors: whoever is late finds its queue empty.
    team(16) { for _ in 0..<200 { loop(60, grain: 1, tally) } }
    #expect(tally.allEqual(200))
  }

  @Test(
    "announced memory is fetched at its very end, by any number of threads, and changes no loop",
    arguments: [1, 2, 3, 70])
  func announced(threads: Int) throws {
    let memory = try GuardedMemory(bytes: 100_100)
    let tally = Tally(23)
    team(threads) {
      for front in [0, 1, 4096, 1 << 30] {
        let rows = ck_rows(
          parts: (UnsafeRawPointer(memory.raw), nil, UnsafeRawPointer(memory.raw)), row_bytes: (1001, 7, 9), rows: 100)
        ck_announce([rows, ck_rows(), rows, rows, rows], 5, front % 5, front)
        for _ in 0..<20 { loop(23, grain: 1, tally) }
      }
      ck_announce(nil, 0, 1, 0)
      loop(23, grain: 1, tally)
    }
    #expect(tally.allEqual(81))
    #expect(memory.isIntact)
  }

  @Test("outside a team the caller does it all")
  func outside() {
    let tally = Tally(100)
    loop(100, grain: 1, tally)
    #expect(tally.allEqual(1))
    #expect(tally.smallest.withLock { $0 } == 100)
  }

  @Test("a loop inside a task runs on its thread, and a team inside a team is the same team")
  func nested() {
    let outer = Tally(12)
    final class Pair: Sendable {
      let outer: Tally
      let inner = Tally(50)
      init(_ outer: Tally) { self.outer = outer }
    }
    let pair = Pair(outer)
    team(2) {
      ck_for(
        12, 1,
        { context, begin, end in
          guard let context else { return }
          let pair = Unmanaged<Pair>.fromOpaque(context).takeUnretainedValue()
          pair.outer.done(begin..<end)
          for _ in begin..<end { loop(50, grain: 1, pair.inner) }
        }, Unmanaged.passUnretained(pair).toOpaque())
      team(3) { #expect(ck_team_size() == 2) }
    }
    #expect(outer.allEqual(1))
    #expect(pair.inner.allEqual(12))
    #expect(pair.inner.smallest.withLock { $0 } == 50)
  }

  @Test("two teams at once do not mix")
  func twoTeams() {
    let tallies = [Tally(21), Tally(43)]
    let threads = tallies.map { tally in
      Thread {
        team(2) { for _ in 0..<1000 { loop(tally.items.count, grain: 1, tally) } }
        finished.signal()
      }
    }
    for thread in threads { thread.start() }
    for _ in threads { finished.wait() }
    for tally in tallies { #expect(tally.allEqual(1000)) }
  }

  private let finished = DispatchSemaphore(value: 0)

  @Test("the helpers take part when there is enough to do")
  func helpersTakePart() {
    final class Seen: Sendable {
      let threads = Mutex<Set<UInt>>([])
    }
    let seen = Seen()
    team(2) {
      // A helper that gets no core for a while may miss some loops, not all of them.
      for _ in 0..<100 {
        ck_for(
          16, 1,
          { context, _, _ in
            guard let context else { return }
            let seen = Unmanaged<Seen>.fromOpaque(context).takeUnretainedValue()
            seen.threads.withLock { _ = $0.insert(UInt(pthread_self())) }
            usleep(100)
          }, Unmanaged.passUnretained(seen).toOpaque())
      }
    }
    #expect(seen.threads.withLock { $0.count } == 2)
  }

  @Test("threads can be had as many as are asked for here, and none where a stack has no place")
  func startable() {
    #expect(ck_startable_threads(0, 0) == 0)
    #expect(ck_startable_threads(3, 0) == 3)
    #expect(ck_startable_threads(3, 1 << 60) == 0)
    let started = ck_thread_start("huge", 1 << 60, { _ in }, nil)
    #expect(!started)
  }
}
