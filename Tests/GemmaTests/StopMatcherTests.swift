import Gemma
import Testing

@Suite struct StopMatcherTests {
  @Test("a stop text is found across pieces and is not part of the text")
  func acrossPieces() {
    var matcher = StopMatcher(["END"])
    #expect(matcher.append("a E") == "a ")
    #expect(matcher.append("N") == "")
    #expect(matcher.append("D b") == "")
    #expect(matcher.isStopped)
    #expect(matcher.finish() == "")
  }

  @Test("what only began like a stop text is delivered")
  func falseStart() {
    var matcher = StopMatcher(["END", "Ende"])
    #expect(matcher.append("xEN") == "x")
    #expect(matcher.append("t") == "ENt")
    #expect(matcher.append("En") == "")
    #expect(matcher.finish() == "En")
    #expect(!matcher.isStopped)
  }

  @Test("the earliest of several stop texts ends the answer")
  func earliest() {
    var matcher = StopMatcher(["cd", "b"])
    #expect(matcher.append("abcd") == "a")
    #expect(matcher.isStopped)
  }
}
