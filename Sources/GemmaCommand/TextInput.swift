import Foundation
import Gemma

/// Text from an argument, a file or standard input.
enum TextInput {
  /// The text of `-f FILE`, else of the argument, where `-` means standard input.
  static func read(_ argument: String?, _ arguments: Arguments) throws -> String {
    let text: String
    if let path = arguments.string("file") {
      guard argument == nil else { throw UsageError("give the text as an argument or with --file, not both") }
      text = try path == "-" ? standardInput() : file(URL(filePath: path))
    } else if let argument {
      text = try argument == "-" ? standardInput() : argument
    } else {
      throw UsageError("the text is missing: give it as an argument, with -f FILE, or - for standard input")
    }
    guard !text.isEmpty else { throw GemmaError.invalidInput("the text is empty") }
    return text
  }

  /// Token ids as numbers of the vocabulary's type.
  static func tokens(_ numbers: [Int], of option: String) throws(UsageError) -> [TokenID] {
    var tokens: [TokenID] = []
    for number in numbers {
      guard let token = TokenID(exactly: number), token >= 0 else {
        throw UsageError("--\(option): \(number) is no token id")
      }
      tokens.append(token)
    }
    return tokens
  }

  private static func file(_ url: URL) throws -> String {
    try text(of: url) { try FileHandle(forReadingFrom: url) }
  }

  private static func standardInput() throws -> String {
    try text(of: URL(filePath: "/dev/stdin")) { .standardInput }
  }

  /// Reads through a handle, because `Data(contentsOf:)` refuses pipes such as `-f <(command)`.
  private static func text(of url: URL, _ open: () throws -> FileHandle) throws -> String {
    let data: Data
    do {
      data = try open().readToEnd() ?? Data()
    } catch {
      throw GemmaError.fileAccess(url, reason: error.localizedDescription)
    }
    return try decode(data, from: url)
  }

  private static func decode(_ data: Data, from url: URL) throws -> String {
    guard let text = String(validating: data, as: UTF8.self) else {
      throw GemmaError.malformedFile(url, reason: "expected text in UTF-8; convert it first")
    }
    return text
  }
}
