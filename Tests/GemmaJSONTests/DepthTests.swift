import GemmaJSON
import GemmaKernels
import Synchronization
import Testing

@Suite("Depth of nesting")
struct DepthTests {
  private static let limit = JSONScanner.maximumDepth

  /// Lists, objects, or both by turns inside each other.
  private static func nested(_ depth: Int, _ kind: Int) -> String {
    let isList = (0..<depth).map { kind == 2 ? $0 % 2 == 0 : kind == 0 }
    return isList.map { $0 ? "[" : "{\"key\":" }.joined() + "1" + isList.reversed().map { $0 ? "]" : "}" }.joined()
  }

  @Test("the limit is one for all: what is read, what is skipped, lists and objects", arguments: 0..<3)
  func limit(_ kind: Int) {
    #expect(refusal(Self.nested(Self.limit, kind)) == nil)
    #expect(refusalOfSkipping(Array(Self.nested(Self.limit, kind).utf8)) == nil)
    let reason = "nested deeper than \(Self.limit) levels"
    for depth in [Self.limit + 1, 100_000] {
      #expect(refusal(Self.nested(depth, kind)) == reason)
      #expect(refusalOfSkipping(Array(Self.nested(depth, kind).utf8)) == reason)
    }
    #expect(refusal(String(repeating: "[", count: 100_000)) == reason)
    // One after the other is not inside each other.
    #expect(refusal("[" + String(repeating: "[],{},", count: 1000) + "0]") == nil)
  }

  /// Reads, compares, sorts, hashes and writes values of the greatest depth.
  private static func handleDeepest() -> Bool {
    (0..<3).allSatisfy { kind in
      let text = nested(limit, kind)
      guard let value = try? JSONValue(text: text), let again = try? JSONValue(text: text) else { return false }
      return value == again && value.sorted == again && value.hashValue == again.hashValue
        && JSONWriter.text(value, indent: 1).count >= text.count && refusalOfSkipping(Array(text.utf8)) == nil
    }
  }

  private final class Outcome: Sendable {
    let waiting = Mutex<CheckedContinuation<Bool, Never>?>(nil)
  }

  @Test("everything that is done with a value of the greatest depth fits into a part of a 512 KB stack")
  func stack() async {
    // A quarter: whoever calls may have used most of it, and debug builds take several times as much as release ones.
    // Part of it is the thread-local memory of all libraries, which is why an eighth does not start.
    #if DEBUG
      let size = 512 << 10
    #else
      let size = 128 << 10
    #endif
    let outcome = Outcome()
    let isRight = await withCheckedContinuation { continuation in
      outcome.waiting.withLock { $0 = continuation }
      let context = Unmanaged.passRetained(outcome)
      let isStarted = ck_thread_start(
        "small stack", size,
        { context in
          guard let context else { return }
          let outcome = Unmanaged<Outcome>.fromOpaque(context).takeRetainedValue()
          let isRight = DepthTests.handleDeepest()
          outcome.waiting.withLock { $0 }?.resume(returning: isRight)
        }, context.toOpaque())
      if !isStarted {
        context.release()
        continuation.resume(returning: false)
      }
    }
    #expect(isRight)
  }
}
