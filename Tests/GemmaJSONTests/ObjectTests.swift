import GemmaJSON
import Testing

@Suite("Ordered objects")
struct ObjectTests {
  private func keys(_ text: String) throws -> [String] { try JSONValue(text: text).members.keys }

  @Test("members keep the order of the text, few or many, and every one is found by its key")
  func order() throws {
    for count in [0, 1, 7, 8, 9, 10, 1000] {
      let names = (0..<count).map { "key \(($0 * 7919) % 1009)" }
      let object = try JSONValue(
        text: "{\(names.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ","))}"
      ).members
      #expect(object.keys == names && object.count == count)
      #expect(object.map(\.value) == (0..<count).map { .integer($0) })
      for (place, name) in names.enumerated() { #expect(object[name] == .integer(place)) }
      #expect(object["no such key"] == nil)
    }
  }

  @Test("a known key keeps its place when it is set, a new one goes to the end, nil removes one")
  func changes() {
    for count in [3, 8, 9, 30] {
      var object = JSONObject()
      for number in 0..<count { object["\(number)"] = .integer(number) }
      object["1"] = .null
      object["0"] = nil
      object["absent"] = nil
      object["new"] = .boolean(true)
      #expect(object.keys == (1..<count).map(String.init) + ["new"])
      #expect(object["1"] == .null && object["0"] == nil && object["new"] == .boolean(true))
      #expect(object["\(count - 1)"] == .integer(count - 1))
      object["0"] = .integer(7)
      #expect(object.keys.last == "0" && object["0"] == .integer(7))
    }
  }

  @Test("objects are equal whatever the order of their members, lists are not; equal values have equal hashes")
  func equality() throws {
    let many = (0..<20).map { "\"\($0)\":[\($0)]" }
    let pairs = [
      (#"{"a":1,"b":{"c":2,"d":3}}"#, #"{"b":{"d":3,"c":2},"a":1}"#),
      ("{\(many.joined(separator: ","))}", "{\(many.reversed().joined(separator: ","))}"),
      ("[1, 1.0, 100, 0]", "[1.00, 10e-1, 1E2, -0.0]"),
    ]
    for (left, right) in pairs {
      let (left, right) = (try JSONValue(text: left), try JSONValue(text: right))
      #expect(left == right && left.hashValue == right.hashValue)
    }
    let different = [
      ("[1,2]", "[2,1]"), (#"{"a":1}"#, #"{"a":1,"b":2}"#), (#"{"a":1}"#, #"{"b":1}"#), (#"{"a":null}"#, "{}"),
      ("1", "\"1\""), ("0", "false"), ("null", "false"), ("1", "true"), ("[]", "{}"),
      ("\"\u{E9}\"", "\"e\u{301}\""), ("{\"\u{E9}\":1}", "{\"e\u{301}\":1}"),
    ]
    for (left, right) in different { #expect(try JSONValue(text: left) != JSONValue(text: right)) }
  }

  @Test("a key twice is refused at every level, however it is spelt and however many there are")
  func duplicates() {
    let filler = (0..<40).map { "\"k\($0)\":0" }.joined(separator: ",")
    let objects = [
      #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"\u0061":3}"#, #"{"":1,"":2}"#, "{\(filler),\"k3\":1}", "{\"k39\":1,\(filler)}",
      #"{"\n":1,"\u000a":1}"#, #"{"😀":1,"\ud83d\ude00":1}"#,
    ]
    for object in objects {
      for text in [object, "[\(object)]", "{\"x\":\(object)}", "[0,{\"x\":[[\(object)]]}]"] {
        #expect(refusal(text)?.hasSuffix("appears twice") == true, "\(text)")
        #expect(refusalOfSkipping(Array(text.utf8))?.hasSuffix("appears twice") == true, "\(text)")
      }
    }
    // The same name in two objects is no duplicate, and neither are two spellings of one character in Unicode.
    for text in [#"[{"a":1},{"a":{"a":1}}]"#, "{\"\u{E9}\":1,\"e\u{301}\":2}"] { #expect(refusal(text) == nil) }
  }

  @Test("keys are told apart by their bytes, few or many")
  func bytes() throws {
    let filler = (0..<10).map { "\"k\($0)\":0," }.joined()
    for front in ["", filler] {
      let object = try JSONValue(text: "{\(front)\"\u{E9}\":1,\"e\u{301}\":2}").members
      #expect(object["\u{E9}"] == .integer(1) && object["e\u{301}"] == .integer(2))
    }
  }

  @Test("sorted: by the bytes of the keys, at every level; lists stay as they are")
  func sorted() throws {
    let value = try JSONValue(text: #"{"b":[{"z":1,"a":2},3],"B":{"y":1,"x":2},"é":0,"a":0}"#)
    #expect(JSONWriter.text(value.sorted) == #"{"B":{"x":2,"y":1},"a":0,"b":[{"a":2,"z":1}, 3],"é":0}"#)
    #expect(value.sorted == value)
  }
}
