import Foundation
import Tensors
import TestSupport
import Tokenization

/// The vocabularies that tests share.
enum Vocabularies {
  static let corpus = Fixtures.testData.deletingLastPathComponent().appending(path: "corpus")

  static func folder(_ name: String) -> URL { Fixtures.testData.appending(path: "\(name)-tokenizer") }

  static let areHere = ["gemma3", "gemma4"].allSatisfy { Fixtures.testData("\($0)-tokenizer/tokenizer.json") != nil }

  /// Read once: most tests need the same tables.
  static let gemma3 = Result { try GemmaTokenizer(contentsOf: folder("gemma3"), cache: .off) }
  static let gemma4 = Result { try GemmaTokenizer(contentsOf: folder("gemma4"), cache: .off) }
  static let demo = Result { try GemmaTokenizer(contentsOf: Fixtures.demo, cache: .off) }
}

struct Expectations: Decodable {
  struct Case: Decodable {
    var kind: String
    var text: String
    var ids_special: [TokenID]
    var ids_plain: [TokenID]
    var ids_no_control: [TokenID]?
    var decoded_plain: String?
  }

  var cases: [Case]

  static func load(_ name: String) throws -> Expectations {
    let url = Fixtures.folder.appending(path: "tokenizer/expected-\(name).json")
    return try JSONDecoder().decode(Expectations.self, from: Data(contentsOf: url))
  }
}
