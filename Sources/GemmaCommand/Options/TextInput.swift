import Foundation
import Gemma
import GemmaRuntime

/// Where a text is read from.
enum TextSource {
  case standardInput
  case file(URL)
}

extension OptionValue where Value == TextSource {
  static var file: OptionValue {
    OptionValue { text, option in
      guard !text.isEmpty else { throw UsageError("--\(option) needs the name of a file, or - for standard input") }
      return text == "-" ? .standardInput : .file(URL(filePath: text))
    }
  }
}

/// Text from an argument, a file or standard input.
enum TextInput {
  /// Far more than any context holds; an endless file such as /dev/zero ends here.
  private static let largest = 1 << 28

  /// `what`: whose text it is, such as "the prompt".
  static func option(_ what: String) -> Option<TextSource> {
    Option("file", short: "f", .file, "FILE", "reads \(what) from a file (UTF-8)")
  }

  /// The text of the file, else of the argument, where `-` means standard input.
  static func read(_ argument: String?, file source: TextSource?) throws -> String {
    let text: String
    if let source {
      guard argument == nil else { throw UsageError("give the text as an argument or with --file, not both") }
      text =
        switch source {
        case .standardInput: try standardInput()
        case .file(let url): try file(url)
        }
    } else if let argument {
      text = try argument == "-" ? standardInput() : argument
    } else {
      throw UsageError("the text is missing: give it as an argument, with -f FILE, or - for standard input")
    }
    guard !text.isEmpty else { throw GemmaError.invalidInput("the text is empty") }
    return text
  }

  /// Opened without waiting, because a named pipe may never get a writer.
  private static func file(_ url: URL) throws -> String {
    let descriptor = open(url.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw GemmaError.fileAccess(url, reason: SystemReason.text()) }
    defer { close(descriptor) }
    return try text(of: url, descriptor)
  }

  private static func standardInput() throws -> String {
    try text(of: URL(filePath: "/dev/stdin"), STDIN_FILENO)
  }

  private static func text(of url: URL, _ descriptor: Int32) throws -> String {
    do {
      return try decode(Descriptor.read(descriptor, limit: largest), from: url)
    } catch let failure as Descriptor.Failure {
      throw GemmaError.fileAccess(url, reason: failure.reason)
    }
  }

  private static func decode(_ data: Data, from url: URL) throws -> String {
    guard let text = String(validating: data, as: UTF8.self) else {
      throw GemmaError.malformedFile(url, reason: "expected text in UTF-8; convert it first")
    }
    // Some editors sign a file as UTF-8 with this mark, which is none of its text.
    return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
  }
}
