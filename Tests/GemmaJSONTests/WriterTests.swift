import GemmaJSON
import Testing

@Suite("Writing JSON")
struct WriterTests {
  @Test("control characters, quotes and backslashes are escaped, by their short names where they have one; no more is")
  func escapes() throws {
    let short = ["\u{8}": "\\b", "\t": "\\t", "\n": "\\n", "\u{C}": "\\f", "\r": "\\r", "\"": "\\\"", "\\": "\\\\"]
    for value in 0..<0x20 {
      let character = String(Unicode.Scalar(UInt8(value)))
      let digits = (value < 16 ? "0" : "") + String(value, radix: 16)
      #expect(JSONWriter.text(.string(character)) == "\"\(short[character] ?? "\\u00" + digits)\"")
    }
    for (character, escape) in short { #expect(JSONWriter.text(.string("a\(character)b")) == "\"a\(escape)b\"") }
    let plain = "/ \u{7F}\u{80}\u{2028}\u{FEFF}é😀"
    #expect(JSONWriter.text(.string(plain)) == "\"\(plain)\"")
    #expect(JSONWriter.text(.object(["\n\r\n": .null])) == #"{"\n\r\n":null}"#)
  }

  @Test("one line, or a line for each member; lists stay on one line")
  func indentation() throws {
    let value = try JSONValue(text: #"{"b":{"y":[1,{"x":2,"w":3}],"e":{}},"a":[],"c":true}"#)
    #expect(JSONWriter.text(value) == #"{"b":{"y":[1, {"x":2,"w":3}],"e":{}},"a":[],"c":true}"#)
    let text = """
      {
        "b": {
          "y": [1, {"x":2,"w":3}],
          "e": {}
        },
        "a": [],
        "c": true
      }
      """
    #expect(JSONWriter.text(value, indent: 2) == text)
    #expect(JSONWriter.text(.object([:]), indent: 2) == "{}")
  }

  @Test("what is written reads as the same value, with the same numbers and the same order")
  func roundTrip() throws {
    let text = #"{"z":[1.0,1e5,-0,18446744073709551615,[],{}],"a":"\u0000\"\\\n😀","m":{"b":null,"a":[false]}}"#
    let value = try JSONValue(text: text)
    for indent in [nil, 0, 1, 4] {
      let written = JSONWriter.text(value, indent: indent)
      let again = try JSONValue(text: written)
      #expect(again == value)
      #expect(JSONWriter.text(again, indent: indent) == written)
    }
  }
}
