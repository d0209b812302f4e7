import Foundation
import Gemma

enum TokenizeCommand: Command {
  static let name = "tokenize"
  static let abstract = "Text to tokens and back"
  static let usage = "gemma tokenize MODEL [TEXT] [options]"
  static let examples = [
    "gemma tokenize demo \"Once upon a time\"",
    "gemma tokenize demo --decode 2,106 --format json",
    "gemma tokenize demo \"<start_of_turn>user\" --special",
  ]

  struct Options: OptionGroup {
    let file = TextInput.option("the text")
    let decode = Option("decode", .tokens, "IDS", "prints the text of ids, such as 1,2,3")
    let special = Flag(
      "special", "control pieces in the text become control tokens, and are shown when decoding")
  }

  private struct Encoded: Encodable {
    var tokenIds: [TokenID]
    var pieces: [String]
  }

  private struct Decoded: Encodable {
    var text: String
  }

  static func run(_ arguments: Arguments<Options>) async throws {
    try arguments.expectPositionals(atMost: 2)
    _ = try arguments.shared.apply()
    let isJSON = try arguments.shared.wantsJSON
    let folder = try ModelArgument.folder(arguments.positional(0, "the model"))
    let isSpecial = arguments[\.special]
    if let tokens = try arguments[\.decode] {
      guard arguments.positionals.count < 2, !arguments.isGiven(\.file) else {
        throw UsageError("give a text or --decode, not both")
      }
      let tokenizer = try GemmaTokenizer(contentsOf: folder)
      if let outside = tokens.first(where: { tokenizer.piece(of: $0) == nil }) {
        throw GemmaError.invalidInput("the vocabulary has no id \(outside); it has \(tokenizer.vocabularySize) pieces")
      }
      let text = tokenizer.decode(tokens, skipsControlPieces: !isSpecial)
      if isJSON { try Console.output(json: Decoded(text: text)) } else { Console.output(text + "\n") }
      return
    }
    let text = try TextInput.read(arguments.positionals.dropFirst().first, file: arguments[\.file])
    let tokenizer = try GemmaTokenizer(contentsOf: folder)
    let tokens = tokenizer.encode(text, parsingControlPieces: isSpecial)
    if isJSON {
      try Console.output(json: Encoded(tokenIds: tokens, pieces: tokens.map { tokenizer.piece(of: $0) ?? "" }))
    } else {
      Console.output(tokens.map(String.init).joined(separator: ",") + "\n")
    }
  }
}
