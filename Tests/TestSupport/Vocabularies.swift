package import Foundation
package import GemmaTokenization

/// The vocabularies that tests share.
package enum Vocabularies {
  package static let corpus = Fixtures.testData.deletingLastPathComponent().appending(path: "corpus")

  package static func folder(_ name: String) -> URL { Fixtures.testData.appending(path: "\(name)-tokenizer") }

  package static let areHere = ["gemma3", "gemma4"].allSatisfy {
    Fixtures.testData("\($0)-tokenizer/tokenizer.json") != nil
  }

  /// Read once: most tests need the same tables.
  package static let gemma3 = Result { try GemmaTokenizer(contentsOf: folder("gemma3"), cache: .off) }
  package static let gemma4 = Result { try GemmaTokenizer(contentsOf: folder("gemma4"), cache: .off) }
  package static let demo = Result { try GemmaTokenizer(contentsOf: Fixtures.demo, cache: .off) }
}
