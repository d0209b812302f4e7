import GemmaModels
import Testing

@Suite("The draft controller")
struct DraftControllerTests {
  /// Plays rounds on a machine where a plain step takes 1, each further row `row` and each draft `draft` seconds, and
  /// the share `right` of drafts is right; returns the tokens and the time, and counts rounds with drafts.
  private static func play(
    _ rounds: Int, _ controller: inout DraftController, kind: DraftKind = .drafter, row: Double, draft: Double,
    right: Double, fixed: Double = 0
  ) -> (tokens: Int, seconds: Double, drafted: Int, lengths: [Int]) {
    var (tokens, seconds, drafted, lengths) = (0, 0.0, 0, [Int]())
    var state = 1.0
    for _ in 0..<rounds {
      let count = controller.choose([.init(kind: kind, count: 8)])?.count ?? 0
      var accepted = 0
      // The golden ratio's multiples are spread evenly.
      while accepted < count {
        state = (state + 0.618_033_988_75).truncatingRemainder(dividingBy: 1)
        if state >= right { break }
        accepted += 1
      }
      let round = 1 + (count > 0 ? fixed : 0) + Double(count) * (row + draft)
      if count == 0 { controller.notePlain(seconds: round) }
      controller.noteRound(kind, drafted: count, accepted: accepted, seconds: round)
      tokens += 1 + accepted
      seconds += round
      drafted += count > 0 ? 1 : 0
      lengths.append(count)
    }
    return (tokens, seconds, drafted, lengths)
  }

  @Test("The first four steps are plain, and a slow one among them does not make drafts look cheap")
  func first() {
    var controller = DraftController()
    #expect(controller.plainSeconds == nil)
    for step in 0..<4 {
      #expect(controller.choose([.init(kind: .drafter, count: 8)]) == nil)
      controller.notePlain(seconds: step == 0 ? 3 : 1)
    }
    #expect(controller.plainSeconds == 1)
    #expect(controller.choose([.init(kind: .drafter, count: 8)]) != nil)
  }

  @Test("Cheap rows and right drafts lead to long rounds and to much more than a token a second")
  func pays() {
    var controller = DraftController()
    let result = Self.play(200, &controller, row: 0.05, draft: 0.02, right: 0.95)
    #expect(Double(result.tokens) / result.seconds > 3)
    #expect(result.lengths.suffix(50).max() == 8)
    #expect(result.drafted >= 190)
  }

  @Test("Half-right drafts get short rounds")
  func half() {
    var controller = DraftController()
    let result = Self.play(300, &controller, row: 0.1, draft: 0.1, right: 0.5)
    let late = result.lengths.suffix(100).filter { $0 > 0 }
    #expect(late.allSatisfy { $0 <= 3 })
    #expect(Double(result.tokens) / result.seconds > 1.1)
  }

  @Test("What does not pay costs less than 3 % of the time, and is given up for ever longer")
  func doesNotPay() {
    var controller = DraftController()
    let result = Self.play(2000, &controller, row: 0.4, draft: 0.3, right: 0.2)
    #expect(result.seconds < 1.03 * Double(result.tokens))
    #expect(result.drafted > 3, "it is tried again")
    #expect(result.lengths.suffix(1000).filter { $0 > 0 }.count <= 8)
  }

  @Test("A fixed cost of each round is found out, and long rounds pay for it where short ones would not")
  func fixedCost() {
    var controller = DraftController()
    let long = Self.play(400, &controller, row: 0.05, draft: 0.05, right: 0.9, fixed: 1)
    #expect(Double(long.tokens) / long.seconds > 1.5)
    #expect(long.lengths.suffix(100).filter { $0 > 0 }.allSatisfy { $0 >= 5 })
    controller = DraftController()
    let never = Self.play(1000, &controller, row: 0.1, draft: 0.1, right: 0.5, fixed: 1)
    #expect(never.seconds < 1.04 * Double(never.tokens))
  }

  @Test("A source that gets better is found out")
  func getsBetter() {
    var controller = DraftController()
    _ = Self.play(300, &controller, row: 0.1, draft: 0.05, right: 0.05)
    let result = Self.play(600, &controller, row: 0.1, draft: 0.05, right: 0.95)
    #expect(result.lengths.suffix(100).filter { $0 >= 4 }.count > 80)
  }

  @Test("Plain steps are measured again after 32 rounds at most")
  func refreshes() {
    var controller = DraftController()
    let result = Self.play(400, &controller, row: 0.02, draft: 0, right: 0.97)
    let plain = result.lengths.enumerated().filter { $0.element == 0 }.map(\.offset)
    #expect(zip(plain, plain.dropFirst()).allSatisfy { $1 - $0 <= 33 } && plain.count >= 12)
  }

  @Test("Of two sources the better one is chosen")
  func two() {
    var controller = DraftController()
    _ = Self.play(100, &controller, kind: .promptLookup, row: 0.1, draft: 0, right: 0.3)
    _ = Self.play(100, &controller, kind: .drafter, row: 0.1, draft: 0.02, right: 0.9)
    let choice = controller.choose([.init(kind: .promptLookup, count: 8), .init(kind: .drafter, count: 8)])
    #expect(choice?.kind == .drafter)
    #expect(controller.choose([.init(kind: .promptLookup, count: 0)]) == nil)
  }
}
