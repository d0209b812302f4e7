import Foundation
import Synchronization

/// Ctrl-C, `kill` and a closed terminal cancel the work, so that files are tidied up and the exit code is 2.
enum Interrupts {
  /// Whether a command has files to tidy up, and so has to come to its own end.
  static let hasFiles = Atomic(false)
  /// The end of a pipe into which the signal handler writes the signal's number; -1 while there is no work to cancel.
  private static let writeEnd = Atomic<Int32>(-1)

  /// Catches the signals from now on: until `hold()` has a pipe they end the process at once, with the exit code and
  /// the message of cancelled work. Called before everything else, because what a signal does before is the system's.
  static func catchSignals() {
    signal(SIGQUIT, SIG_DFL)  // the user's wish, and no crash that Swift's runtime should explain
    writeEnd.store(-1, ordering: .relaxed)  // made now: a handler must not be the first to use it
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let before = signal(number) { number in
        // Nothing but calls that are safe in a signal handler.
        let end = Interrupts.writeEnd.load(ordering: .relaxed)
        guard end >= 0 else {
          let text: StaticString = "Cancelled.\n"
          _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
          _exit(2)
        }
        var byte = UInt8(truncatingIfNeeded: number)
        let code = errno
        _ = write(end, &byte, 1)
        errno = code
      }
      // Whoever starts a program with `nohup` wants it to outlive the terminal.
      if number == SIGHUP, unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
      }
    }
  }

  /// From now on signals wait in a pipe, whose other end it returns for `cancel(_:on:)`. Called before there is any
  /// work, so that none is lost. Without descriptors to spare they go on ending the process.
  static func hold() -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return -1 }
    writeEnd.store(ends[1], ordering: .relaxed)
    return ends[0]
  }

  /// Cancels the work when a signal comes, or has come already. A second Ctrl-C ends the process at once, and so does
  /// work that goes on for a second: a step that does not ask whether to go on, such as the tokenisation of a book, has
  /// nothing to lose.
  static func cancel(_ work: Task<ExitCode, Never>, on readEnd: Int32) {
    Thread.detachNewThread {
      var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
      var byte: UInt8 = 0
      while true {
        let ready = poll(&entry, 1, work.isCancelled ? 1000 : -1)
        if ready == 0 {
          if hasFiles.load(ordering: .relaxed) { continue }
          Console.error("Cancelled.")
          _exit(ExitCode.cancelled.rawValue)
        }
        if ready < 0, errno == EINTR { continue }
        guard ready > 0, read(readEnd, &byte, 1) == 1 else { return }
        if Int32(byte) == SIGINT, work.isCancelled { _exit(ExitCode.cancelled.rawValue) }
        work.cancel()
      }
    }
  }
}
