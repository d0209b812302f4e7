import GemmaKernels

/// The kernels' own thread team, as the models use it.
package enum Team {
  /// Calls `body` once, with a team of `threads` threads that ``forEach(_:grain:_:)`` inside it uses.
  package static func run(threads: Int, _ body: () -> Void) {
    withoutActuallyEscaping(body) { body in
      var body = body
      withUnsafeMutablePointer(to: &body) { pointer in
        ck_team_run(threads, { $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, pointer)
      }
    }
  }

  /// Calls `body` with shares of 0 ..< count on all threads of the team and returns when they are done.
  package static func forEach(_ count: Int, grain: Int = 1, _ body: (Range<Int>) -> Void) {
    withoutActuallyEscaping(body) { body in
      var body = body
      withUnsafeMutablePointer(to: &body) { pointer in
        ck_for(count, grain, { $0?.assumingMemoryBound(to: ((Range<Int>) -> Void).self).pointee($1..<$2) }, pointer)
      }
    }
  }
}
