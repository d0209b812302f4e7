import Foundation
import GemmaRuntime
import GemmaTestSupport

/// What tests of vocabularies expect, written by `Tests/Reference/tokenizer_expectations.py`.
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
