import GemmaRuntime
import Testing

@Suite struct SystemLimitsTests {
  @Test("what every process has is enough, and more address space than there is names the limit to raise")
  func check() throws {
    try SystemLimits.check()
    do throws(GemmaError) {
      try SystemLimits.check(megabytes: 1 << 30)
      Issue.record("the process has a million gigabytes")
    } catch {
      guard case .systemLimit(let reason) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(reason.contains("ulimit -v"))
    }
  }
}
