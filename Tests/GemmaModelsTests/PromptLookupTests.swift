import GemmaModels
import GemmaRuntime
import Testing

@Suite("Prompt lookup")
struct PromptLookupTests {
  @Test("A repeated beginning is continued as it was")
  func repeats() {
    let lookup = PromptLookup()
    let text: [TokenID] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 50, 1, 2, 3, 4, 5]
    #expect(lookup.draft(3, after: text, 6) == [7, 8, 9])
    #expect(lookup.draft(8, after: text, 6) == [7, 8, 9, 50, 1, 2, 3, 4], "6 equal tokens promise as many as wanted")
    #expect(lookup.draft(8, after: Array(text.prefix(13)), 4) == [5, 6, 7, 8], "4 equal tokens promise 4")
  }

  @Test("The longest match wins, and of equally long ones the latest")
  func longest() {
    let lookup = PromptLookup()
    #expect(lookup.draft(1, after: [9, 1, 2, 3, 70, 8, 1, 2, 3, 80, 9, 1, 2], 3) == [70])
    #expect(lookup.draft(1, after: [7, 1, 2, 3, 70, 8, 1, 2, 3, 80, 9, 1, 2], 3) == [80])
  }

  @Test("Two equal tokens are no match, and neither is the beginning of a text")
  func tooShort() {
    let lookup = PromptLookup()
    #expect(lookup.draft(4, after: [1, 2, 30, 31, 1], 2).isEmpty)
    #expect(lookup.draft(4, after: [], 2).isEmpty)
    #expect(lookup.draft(4, after: [1], 2).isEmpty)
    #expect(lookup.draft(0, after: [1, 2, 3, 1, 2], 3).isEmpty)
  }

  @Test("A match that reaches into its own guess goes on with the period")
  func period() {
    #expect(PromptLookup().draft(8, after: [1, 2, 1, 2, 1, 2, 1], 2) == [1, 2, 1, 2, 1, 2, 1, 2])
    #expect(PromptLookup().draft(5, after: [5, 5, 5, 5, 5, 5], 5) == [5, 5, 5, 5, 5])
  }

  @Test("The index follows a text that grows, is taken back or replaced, and one longer than its table")
  func follows() {
    let lookup = PromptLookup()
    var random = SystemRandomNumberGenerator()
    var text: [TokenID] = []
    for step in 0..<300 {
      switch step % 10 {
      case 7: text.removeLast(min(text.count, Int(random.next(upperBound: UInt(40)))))
      case 9 where step % 100 == 99: text = (0..<6000).map { TokenID($0 * 31 % 7919) }
      default:
        text += (0..<Int(random.next(upperBound: UInt(30)))).map { _ in TokenID(random.next(upperBound: UInt(4))) }
      }
      let token = TokenID(random.next(upperBound: UInt(4)))
      #expect(lookup.draft(8, after: text, token) == PromptLookup().draft(8, after: text, token))
    }
  }
}
