import Foundation

/// stdout carries the answer, stderr everything else.
enum Console {
  static func output(_ text: String) { output(Data(text.utf8)) }

  static func error(_ line: String) { message(line + "\n") }

  /// Writes to stderr. A stderr that takes nothing leaves no place to say so, and the exit code still tells.
  static func message(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

  /// Ends the process where stdout takes no more (a full disk, a closed descriptor): what follows could not be read.
  private static func output(_ data: Data) {
    do {
      try FileHandle.standardOutput.write(contentsOf: data)
    } catch {
      self.error("gemma: the answer cannot be written to standard output: \(error.localizedDescription)")
      _exit(ExitCode.failure.rawValue)
    }
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

  init(_ arguments: Arguments) {
    isShown = isatty(STDERR_FILENO) == 1 && !arguments.has("quiet")
  }

  func show(_ text: String) {
    if isShown { Console.message("\r\u{1B}[K\(text)") }
  }

  func clear() { show("") }
}
