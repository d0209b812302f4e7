import Foundation
import Tensors
import Tokenization

/// Where the vocabularies and expectations lie, seen from this source file.
enum Vocabularies {
  static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// The real vocabularies: `$GEMMA_TEST_DATA`, else `../shared/data` beside the package.
  static let data =
    ProcessInfo.processInfo.environment["GEMMA_TEST_DATA"].map { URL(fileURLWithPath: $0) }
    ?? package.deletingLastPathComponent().appendingPathComponent("shared/data")
  static let corpus = data.deletingLastPathComponent().appendingPathComponent("corpus")
  static let demo = package.appendingPathComponent("Sources/DemoModel/Resources/demo")

  static func folder(_ name: String) -> URL { data.appendingPathComponent("\(name)-tokenizer") }

  static let areHere = ["gemma3", "gemma4"].allSatisfy { name in
    FileManager.default.fileExists(atPath: folder(name).appendingPathComponent("tokenizer.json").path)
  }

  /// Read once: most tests need the same tables.
  static let gemma3 = Result { try GemmaTokenizer(contentsOf: folder("gemma3")) }
  static let gemma4 = Result { try GemmaTokenizer(contentsOf: folder("gemma4")) }
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
    let url = Vocabularies.package.appendingPathComponent("Tests/Fixtures/tokenizer/expected-\(name).json")
    return try JSONDecoder().decode(Expectations.self, from: Data(contentsOf: url))
  }
}
