import Foundation

/// stdout carries the answer, stderr everything else.
enum Console {
  static func output(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

  static func error(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

  /// Prints one JSON object with the keys in snake case.
  static func output(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    FileHandle.standardOutput.write(try encoder.encode(value) + Data("\n".utf8))
  }
}

/// A line on the terminal that is written over and goes away; nothing where stderr is no terminal.
struct ProgressLine: Sendable {
  private let isShown: Bool

  init(_ arguments: Arguments) {
    isShown = isatty(STDERR_FILENO) == 1 && !arguments.has("quiet")
  }

  func show(_ text: String) {
    if isShown { FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8)) }
  }

  func clear() { show("") }
}
