import Dispatch
import Foundation

enum Interrupts {
  /// Lets Ctrl-C cancel the work, so that files are tidied up and the exit code is 2; a second one ends at once.
  ///
  /// Not written in `main.swift`: a closure made there belongs to the main actor, and this one runs elsewhere.
  static func cancelling(_ work: Task<ExitCode, Never>) -> any DispatchSourceSignal {
    signal(SIGINT, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    source.setEventHandler {
      if work.isCancelled { _exit(ExitCode.cancelled.rawValue) }
      work.cancel()
    }
    source.resume()
    return source
  }
}
