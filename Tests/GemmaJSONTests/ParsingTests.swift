import Foundation
import GemmaJSON
import GemmaRuntime
import GemmaTestSupport
import Testing

@Suite("Strict JSON")
struct ParsingTests {
  private func members(_ text: String) throws -> JSONObject {
    try Fixtures.withTemporaryFolder { folder in
      let file = folder.appending(path: "file.json")
      try Data(text.utf8).write(to: file)
      return try JSONFields(file: file).members
    }
  }

  @Test("values keep their kinds: whole numbers, fractions, Booleans, null")
  func kinds() throws {
    let text = " {\"a\": 1, \"b\": true, \"c\": -2.5e1, \"d\": null, \"e\": [0, {}], \"f\": 9223372036854775808}\n"
    let members = try members(text)
    #expect(
      members == [
        "a": .integer(1), "b": .boolean(true), "c": .integer(-25), "d": .null,
        "e": .array([.integer(0), .object([:])]), "f": .number(try #require(JSONNumber("9223372036854775808"))),
      ])
    #expect(members["a"]?.integer == 1)
    #expect(members["c"]?.integer == nil)
    #expect(members["f"]?.integer == nil)
  }

  @Test("escapes, surrogate pairs and a byte order mark inside a key come through exactly")
  func escapes() throws {
    #expect(try members(#"{"a\n\"\u00e9\ud83d\ude00":"\\\/\b\f\r\t"}"#) == ["a\n\"é😀": .string("\\/\u{8}\u{C}\r\t")])
    #expect(try members("{\"\u{FEFF}x\":1}").keys.first?.unicodeScalars.first?.value == 0xFEFF)
    #expect(try JSONValue(text: #""\u0000\uFEFFx""#) == .string("\u{0}\u{FEFF}x"))
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

  /// Texts that are no JSON, read or stepped over.
  private static let wrong = [
    "", " ", "\u{0}", "[1", "[1,", "[", "{\"a\"", "{\"a\":", "{\"a\":1", "{1:2}", "{,}", "[,]", "{\"a\":1,}", "[1,]",
    "[1 2]", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "nul", "nulls", "True", "'a'", "1 2", "[1]]", "{}{}", "-", "+1", "01",
    "-01", "00", "1.", ".5", "1.e5", "1e", "1e+", "1e5.", "0x1", "1_0", "Infinity", "-Infinity", "NaN", "1e400",
    "-1e400", "\"", "\"a", "\"\\\"", "\"\\", "\"\\u", "\"\\u00", "\"\\u00g0\"", "\"\\u 123\"", "\"\\x\"", "\"\\U0041\"",
    "\"\t\"", "\"\u{0}\"", "\"\u{1F}\"", #""\ud800""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\ud800""#, #""\udc00""#,
    #""\udc00\ud800""#, "\u{FEFF}1", "1\u{FEFF}", "// 1\n1", "[1]//", "1\u{A0}", "\u{2028}1", "1\u{C}",
  ]

  @Test("what is read and what is skipped obey the same rules")
  func sameRules() {
    for text in Self.wrong {
      #expect(refusal(text) != nil, "\(text)")
      #expect(refusalOfSkipping(Array(text.utf8)) != nil, "\(text)")
    }
    let right = [
      "0", "-0", "1e5", "1E+5", "1e-400", "0.10", "\"\"", "\"\u{7F}\"", "\"\u{2028}\"", " \t\r\n[ ] ", "{ }",
      "[null,true,false]", "{\"\":{\"\":{}}}", #""\/\"\\\u00e9""#,
    ]
    for text in right {
      #expect(refusal(text) == nil, "\(text)")
      #expect(refusalOfSkipping(Array(text.utf8)) == nil, "\(text)")
    }
  }

  @Test("bytes that are not UTF-8 are refused in strings and keys, wherever they stand")
  func notUTF8() {
    let wrong: [[UInt8]] = [
      [0x80], [0xC3], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
      Array("long enough for a whole word".utf8) + [0xC3], Array("\\n".utf8) + [0xC3],
    ]
    for bytes in wrong {
      for text in [[0x22] + bytes + [0x22], Array("{\"".utf8) + bytes + Array("\":1}".utf8)] {
        #expect(refusal(text) == "a string that is not UTF-8", "\(bytes)")
        #expect(refusalOfSkipping(text) == "a string that is not UTF-8", "\(bytes)")
      }
    }
  }

  @Test("strings of every length around a word are read whole, with an escape or a long character at any place")
  func lengths() throws {
    for length in 0...33 {
      let plain = String("abcdefghijklmnopqrstuvwxyz0123456789".prefix(length))
      #expect(try JSONValue(text: "\"\(plain)\"") == .string(plain))
      for place in 0...length {
        let (front, back) = (plain.prefix(place), plain.dropFirst(place))
        #expect(try JSONValue(text: "[\"\(front)\\n\(back)\"]") == .array([.string("\(front)\n\(back)")]))
        #expect(try JSONValue(text: "\"\(front)😀\(back)\"") == .string("\(front)😀\(back)"))
      }
    }
  }

  @Test("damaged texts are errors or values, never a trap, and what can be skipped can be read")
  func damage() throws {
    let whole = Data(
      #"{"a":[1,-2.50e-3,{"b":"x\n\u00e9\ud83d\ude00","\u00e9":null}],"c":{"d":[[],{}],"e":true},"f":"é😀 long text"}"#
        .utf8)
    _ = try JSONValue(bytes: [UInt8](whole))
    var generator = DamageGenerator(seed: 11)
    var read = 0
    for _ in 0..<20_000 {
      let damaged = [UInt8](whole.damaged(&generator))
      let reason = refusal(damaged)
      #expect(reason == refusalOfSkipping(damaged))
      guard reason == nil else { continue }
      read += 1
      let value = try JSONValue(bytes: damaged)
      #expect(try JSONValue(text: JSONWriter.text(value, indent: 2)) == value)
    }
    #expect(read > 100 && read < 19_000)
  }
}
