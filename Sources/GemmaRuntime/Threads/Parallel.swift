import GemmaKernels

/// Runs a forward pass on a team of threads, and loops over that team.
package enum Parallel {
  /// Opens a team around `body`; `forEach` inside it uses the team's threads.
  package static func team<Result>(threads: Int, _ body: () throws -> Result) throws -> Result {
    var outcome: Swift.Result<Result, any Error>?
    withoutActuallyEscaping(body) { body in
      var run = { outcome = Swift.Result { try body() } }
      withUnsafeMutablePointer(to: &run) { pointer in
        ck_team_run(threads, { $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, pointer)
      }
    }
    guard let outcome else { throw GemmaError.degenerateOutput(reason: "the thread team did not run") }
    return try outcome.get()
  }

  /// Shares of a loop that one thread runs alone: few enough to cost nothing, enough to notice a stop in time.
  private static let sharesAlone = 16

  /// Calls `body` with shares of 0 ..< count on the team's threads and returns when all are done. Shares that begin
  /// after `stop` was raised are skipped.
  package static func forEach(
    _ count: Int, grain: Int = 1, unless stop: StopSignal? = nil, _ body: (Range<Int>) -> Void
  ) {
    guard count > 0 else { return }
    if count <= grain || ck_team_size() == 1 { return alone(count, grain, stop, body) }
    withoutActuallyEscaping(body) { body in
      let loop = Loop(stop: stop, body: body)
      ck_for(
        count, grain,
        { context, begin, end in
          guard let context else { return }
          Unmanaged<Loop>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.run(begin..<end) }
        }, Unmanaged.passUnretained(loop).toOpaque())
      withExtendedLifetime(loop) {}
    }
  }

  /// What the team's threads call. Nothing here changes meanwhile, so that a share counts no references: all threads
  /// would fight over the counter.
  private final class Loop {
    private let stop: StopSignal?
    private let body: (Range<Int>) -> Void

    init(stop: StopSignal?, body: @escaping (Range<Int>) -> Void) {
      self.stop = stop
      self.body = body
    }

    func run(_ share: Range<Int>) {
      if let stop, stop.isRaised { return }
      body(share)
    }
  }

  private static func alone(_ count: Int, _ grain: Int, _ stop: StopSignal?, _ body: (Range<Int>) -> Void) {
    guard let stop else { return body(0..<count) }
    let length = max(grain, (count + sharesAlone - 1) / sharesAlone)
    for first in stride(from: 0, to: count, by: length) where !stop.isRaised {
      body(first..<min(first + length, count))
    }
  }
}
