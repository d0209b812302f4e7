import Foundation
import GemmaModels
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights

let drafterNames = ["gemma4-big-heads", "gemma4-e", "gemma4-keqv", "gemma4-q4-g64", "gemma4-q8-g32"]

/// What `Tests/Reference/make_drafters.py` wrote beside a drafter.
struct DrafterExpectations: Decodable {
  struct Step: Decodable {
    let guess: TokenID
    let least: Float
    let top: [Int]
    let scores: [Float]
    let full: [Float]?
  }
  struct Round: Decodable {
    let position: Int
    let token: TokenID
    let steps: [Step]

    var guesses: [TokenID] { steps.map(\.guess) }
  }

  let ids: [TokenID]
  let rounds: [Round]

  static func of(_ name: String) throws -> DrafterExpectations {
    let file = Fixtures.drafter(name).appending(path: "expected.json")
    return try JSONDecoder().decode(DrafterExpectations.self, from: Data(contentsOf: file))
  }
}

/// A drafter and its model; "demo4" stands for the bundled pair.
struct DraftingPair {
  let model: LoadedModel
  let drafter: LoadedDrafter

  init(_ name: String) throws {
    model = try LoadedModel(Checkpoint(at: name == "demo4" ? Fixtures.demo4 : Fixtures.model(name)))
    let folder = name == "demo4" ? Fixtures.demo4.appending(path: "drafter") : Fixtures.drafter(name)
    drafter = try LoadedDrafter(at: folder, for: model.configuration)
  }

  /// A timeline over the first `count` ids and its source.
  func opened(
    _ ids: some Collection<TokenID>, room: Int = 16, _ options: ComputeOptions = exact
  ) throws -> (timeline: Timeline, source: MTPDrafter) {
    let timeline = try Timeline(model, contextLength: ids.count + room, options: options)
    try timeline.append(Array(ids))
    return (timeline, try MTPDrafter(drafter, contextLength: ids.count + room, options: options))
  }
}

extension MTPDrafter {
  /// Guesses, and the scores of all pieces at each step; those that were not looked at one below the smallest score, as
  /// in transformers.
  func scored(
    _ count: Int, after token: TokenID, on timeline: Timeline
  ) throws -> (guesses: [TokenID], scores: [[Float]]) {
    var scores: [[Float]] = []
    let request = DraftRequest(count, after: token, on: timeline) {
      let others = ($0.filter { $0 != -.infinity }.min() ?? 0) - 1
      scores.append($0.map { $0 == -.infinity ? others : $0 })
      return DraftRequest.likeliest($0, $1, $2)
    }
    return (try draft(request), scores)
  }
}
