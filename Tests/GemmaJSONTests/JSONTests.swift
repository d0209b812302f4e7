import Foundation
import GemmaJSON
import GemmaRuntime
import GemmaTestSupport
import Testing

@Suite("Strict JSON")
struct JSONTests {
  private func members(_ text: String) throws -> [String: JSONValue] {
    try Fixtures.withTemporaryFolder { folder in
      let file = folder.appending(path: "file.json")
      try Data(text.utf8).write(to: file)
      return try JSONFields(file: file).members
    }
  }

  @Test("values keep their kinds: whole numbers, fractions, Booleans, null")
  func kinds() throws {
    let text = " {\"a\": 1, \"b\": true, \"c\": -2.5e1, \"d\": null, \"e\": [0, {}], \"f\": 9223372036854775808}\n"
    #expect(
      try members(text) == [
        "a": .integer(1), "b": .boolean(true), "c": .number(-25), "d": .null,
        "e": .array([.integer(0), .object([:])]), "f": .number(9_223_372_036_854_775_808),
      ])
  }

  @Test("escapes, surrogate pairs and a byte order mark inside a key come through exactly")
  func escapes() throws {
    #expect(try members(#"{"a\n\"\u00e9\ud83d\ude00":"\\\/\b\f\r\t"}"#) == ["a\n\"é😀": .string("\\/\u{8}\u{C}\r\t")])
    #expect(try members("{\"\u{FEFF}x\":1}").keys.first?.unicodeScalars.first?.value == 0xFEFF)
  }

  @Test(
    "what RFC 8259 does not allow is refused",
    arguments: [
      "{\"a\":01}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":+1}", "{\"a\":1e}", "{\"a\":1e999}", "{\"a\":tru}",
      "{\"a\":NaN}",
      "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "{\"a\":[1,]}", "{\"a\":[1 2]}", "{\"a\":\"\n\"}", "{\"a\":\"\\x\"}",
      "{\"a\":\"\\ud800\"}", "{\"a\":\"\\udc00\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"", "{\"a\":1}x", "{\"a\":1,\"a\":1}",
      "{\"a\":1,\"\\u0061\":1}", "", "{", "[1]",
    ])
  func refused(_ text: String) throws {
    #expect(throws: GemmaError.self) { try members(text) }
  }
}
