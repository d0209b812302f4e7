import Foundation
import GemmaKernels
import Testing

/// Choosing a kernel level is global to the process and Swift Testing runs tests side by side, so whoever chooses one
/// holds this lock until it is done.
private let levelLock = NSRecursiveLock()

/// Names of the levels this processor has, "portable" first.
func availableLevels() -> [String] {
  (0..<ck_level_count()).compactMap { ck_level_name($0).map { String(cString: $0) } }
}

/// Runs `body` with the kernels of one level, then returns to the level that was in use.
func withLevel<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
  levelLock.lock()
  let before = ck_level_current()
  #expect(ck_level_select(name), "this processor has the level \(name)")
  defer {
    if let before { ck_level_select(before) }
    levelLock.unlock()
  }
  return try body()
}

/// Runs `body` on every level, expects the same bits from all (of a NaN only that it is one) and returns them.
func sameOnEveryLevel(
  _ what: @autoclosure () -> String = "", sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () -> [Float]
) -> [Float] {
  let expected = withLevel("portable", body)
  for level in availableLevels().dropFirst() {
    let found = withLevel(level, body)
    #expect(
      firstDifference(expected, found) == nil, "\(level) differs from portable: \(what())",
      sourceLocation: sourceLocation)
  }
  return expected
}

/// Index of the first element whose bits differ (two NaNs count as equal), or nil.
func firstDifference(_ a: [Float], _ b: [Float]) -> Int? {
  if a.count != b.count { return min(a.count, b.count) }
  return a.indices.first { a[$0].bitPattern != b[$0].bitPattern && !(a[$0].isNaN && b[$0].isNaN) }
}

/// Index of the first element further from the reference than `absolute + relative * |reference|`, or nil.
func firstOutside(_ found: [Float], _ reference: [Double], absolute: Double, relative: Double = 0) -> Int? {
  if found.count != reference.count { return min(found.count, reference.count) }
  return found.indices.first {
    !(abs(Double(found[$0]) - reference[$0]) <= absolute + relative * abs(reference[$0]))
  }
}

func allNaN(_ values: [Float]) -> Bool {
  values.allSatisfy { $0.isNaN }
}

/// Lengths around multiples of the 16 lanes, primes, and lengths of real models.
let lengths = Array(0...33) + [37, 61, 64, 101, 257, 640, 1152, 2048]

@Suite("Kernel levels")
struct KernelLevelTests {
  @Test("portable is always there, and an unknown level changes nothing")
  func names() {
    #expect(availableLevels().first == "portable")
    #expect(ck_level_name(ck_level_count()) == nil)
    withLevel("portable") {
      #expect(!ck_level_select("no-such-level"))
      #expect(ck_level_current().map { String(cString: $0) } == "portable")
    }
  }

  @Test("every level can be chosen and says its name")
  func choosing() {
    for level in availableLevels() {
      withLevel(level) {
        #expect(ck_level_current().map { String(cString: $0) } == level)
      }
    }
  }

  @Test("at least one processor is ours")
  func processors() {
    #expect(ck_processor_count() >= 1)
  }
}
