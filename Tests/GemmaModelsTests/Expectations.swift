import Foundation
import GemmaTestSupport

/// What `Tests/Reference/make_fixtures.py` wrote beside a fixture model.
struct Expectations: Decodable {
  struct Full: Decodable {
    let position: Int
    let logprobs: [Float]
  }
  struct Greedy: Decodable {
    let ids: [Int32]
    let margins: [Float]
  }
  struct Prompt: Decodable {
    let ids: [Int32]
    let logprobs: [Float]
    let full: [Full]
    let greedy: Greedy
  }

  let window: Int
  let prompts: [Prompt]

  static func of(_ name: String) throws -> Expectations {
    let data = try Data(contentsOf: Fixtures.model(name).appending(path: "expected.json"))
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Expectations.self, from: data)
  }

  /// The longest prompt: 12 windows.
  var longest: [Int32] { prompts.map(\.ids).max { $0.count < $1.count } ?? [] }
}
