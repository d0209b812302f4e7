import Foundation

/// The process's surroundings, made fit for a program that promises an exit code in any case.
enum StandardStreams {
  /// Called before anything else opens a file.
  static func prepare() {
    holdClosedDescriptors()
    // Writing to a pipe without reader or beyond a file's size limit becomes an error with a message and exit code 1.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    reportLostPages()
  }

  /// A descriptor of 0, 1 or 2 that is closed would be given to the next file that is opened, and answers would go
  /// there. It is held by /dev/null, opened the wrong way round so that its use still fails.
  private static func holdClosedDescriptors() {
    for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is given out, which is this one.
      guard open("/dev/null", mode) == descriptor else { _exit(ExitCode.failure.rawValue) }
    }
  }

  /// A mapped file that someone cuts short, or whose disk fails, raises SIGBUS where it is read. Only a program may
  /// decide what happens then; this one says so and ends with code 1.
  private static func reportLostPages() {
    signal(SIGBUS) { _ in
      let text: StaticString =
        "gemma: a file in use was cut short or its disk failed; replace model files by renaming, and start again\n"
      // Nothing but calls that are safe in a signal handler.
      _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
      _exit(1)
    }
  }
}
