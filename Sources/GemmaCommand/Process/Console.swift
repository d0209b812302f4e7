import Foundation
import Synchronization

/// stdout carries the answer, stderr everything else.
enum Console {
  /// Whether the terminal's last line is a progress text, or an answer without its end: a message begins on a line of
  /// its own.
  private static let holdsProgress = Atomic(false)
  private static let holdsAnswer = Atomic(false)
  private static let isTerminal = isatty(STDOUT_FILENO) == 1
  private static let showsAnswers = isTerminal && isatty(STDERR_FILENO) == 1

  static func output(_ text: String) {
    if showsAnswers, !text.isEmpty { holdsAnswer.store(!text.hasSuffix("\n"), ordering: .relaxed) }
    output(Data(text.utf8))
  }

  static func error(_ line: String) {
    clearProgress()
    message((holdsAnswer.exchange(false, ordering: .relaxed) ? "\n" : "") + line + "\n")
  }

  /// For a stderr that is a terminal: a line that the next one, or any message, takes the place of.
  static func progress(_ line: String) {
    holdsProgress.store(true, ordering: .relaxed)
    message(newLine + line)
  }

  static func clearProgress() {
    if holdsProgress.exchange(false, ordering: .relaxed) { message(newLine) }
  }

  private static let newLine = "\r\u{1B}[K"

  /// Writes to stderr. A stderr that takes nothing leaves no place to say so, and the exit code still tells.
  private static func message(_ text: String) { try? Descriptor.write(Data(text.utf8), to: STDERR_FILENO) }

  /// Ends the process where stdout takes no more (a full disk, a closed descriptor, a reader that left): what follows
  /// could not be read. No command has anything left to tidy up when it writes.
  private static func output(_ data: Data) {
    do {
      try Descriptor.write(data, to: STDOUT_FILENO)
    } catch {
      // A terminal that was closed fails a moment before its signal comes, which is what ends the work then.
      for _ in 0..<100 where isTerminal && !Task.isCancelled { usleep(10_000) }
      if error is CancellationError || Task.isCancelled {
        self.error("Cancelled.")
        _exit(ExitCode.cancelled.rawValue)
      }
      self.error("gemma: the answer cannot be written to standard output: \(reason(error))")
      _exit(ExitCode.failure.rawValue)
    }
  }

  private static func reason(_ error: any Error) -> String {
    (error as? Descriptor.Failure)?.reason ?? error.localizedDescription
  }

  /// Prints one JSON object with the keys in snake case.
  static func output(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    output(try encoder.encode(value) + Data("\n".utf8))
  }
}

/// A line on the terminal that is written over and goes away; nothing where stderr is no terminal.
struct ProgressLine: Sendable {
  private let isShown: Bool

  init(_ shared: Arguments<SharedOptions>) {
    isShown = isatty(STDERR_FILENO) == 1 && !shared[\.quiet]
  }

  func show(_ text: String) {
    if isShown { Console.progress(text) }
  }

  func clear() { Console.clearProgress() }
}
