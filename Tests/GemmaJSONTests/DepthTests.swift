import Foundation
import GemmaJSON
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

  @Test("everything that is done with a value of the greatest depth fits into a small part of a 512 KB stack")
  func stack() throws {
    // An eighth: whoever calls may have used most of it, and debug builds take several times as much as release ones.
    #if DEBUG
      let size = 512 << 10
    #else
      let size = 64 << 10
    #endif
    let result = Mutex<Bool?>(nil)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      let ok = (0..<3).allSatisfy { kind in
        let text = Self.nested(Self.limit, kind)
        guard let value = try? JSONValue(text: text), let again = try? JSONValue(text: text) else { return false }
        return value == again && value.sorted == again && value.hashValue == again.hashValue
          && JSONWriter.text(value, indent: 1).count >= text.count && refusalOfSkipping(Array(text.utf8)) == nil
      }
      result.withLock { $0 = ok }
      done.signal()
    }
    thread.stackSize = size
    thread.start()
    done.wait()
    #expect(result.withLock { $0 } == true)
  }
}
