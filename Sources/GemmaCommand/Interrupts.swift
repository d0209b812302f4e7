import Dispatch
import Foundation
import Synchronization

enum Interrupts {
  /// Whether a command has files to tidy up, and so has to come to its own end.
  static let hasFiles = Atomic(false)

  /// Lets Ctrl-C, `kill` and a closed terminal cancel the work, so that files are tidied up and the exit code is 2.
  /// A second Ctrl-C ends at once.
  ///
  /// Not written in `main.swift`: a closure made there belongs to the main actor, and this one runs elsewhere.
  static func cancelling(_ work: Task<ExitCode, Never>) -> [any DispatchSourceSignal] {
    [SIGINT, SIGTERM, SIGHUP].compactMap { number in
      let before = signal(number, SIG_IGN)
      // Whoever starts a program with `nohup` wants it to outlive the terminal.
      if number == SIGHUP, unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { return nil }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if number == SIGINT, work.isCancelled { _exit(ExitCode.cancelled.rawValue) }
        work.cancel()
        if hasFiles.load(ordering: .relaxed) { return }
        // A step that does not ask whether to go on, such as the tokenisation of a book, has nothing to lose.
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
          Console.error("Cancelled.")
          _exit(ExitCode.cancelled.rawValue)
        }
      }
      source.resume()
      return source
    }
  }
}
