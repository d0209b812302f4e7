import Foundation
import GemmaRuntime
import GemmaTestSupport
import GemmaTokenization
import Testing

/// Lists of more than a megabyte are read in two halves, divided at a place that is guessed.
@Suite("Long lists of merges")
struct MergeListTests {
  /// The small vocabulary's merges with `filler`, which must not happen, in front and behind, over a megabyte in all.
  private func vocabulary(_ filler: String, count: Int? = nil) -> SmallVocabulary {
    var vocabulary = SmallVocabulary()
    let half = [String](repeating: filler, count: count ?? 1_200_000 / filler.utf8.count)
    vocabulary.merges = half + vocabulary.merges + half
    return vocabulary
  }

  private func expectSameIDs(_ vocabulary: SmallVocabulary, _ comment: Comment) throws {
    let short = try SmallVocabulary().load()
    let long = try vocabulary.load()
    for text in ["abc", "abb", " a", "abcabbc a a", "aabbcc"] {
      #expect(long.encode(text) == short.encode(text), comment)
    }
  }

  @Test(
    "Halves give what the whole gives, in both spellings and wherever the guess falls",
    arguments: [
      #"["xx","yy"]"#, #""xx yy""#, #"[ "xx" , "yy" ]"#,
      // What looks like a border between elements lies inside strings.
      #"["],[","],["]"#, #"["] , [ ] , [","x],[x"]"#, #"["\"],[\"","\"],[\""]"#, #""\" , \" \", \"""#, #"" , ""#,
    ])
  func halves(_ filler: String) throws {
    try expectSameIDs(vocabulary(filler), "\(filler)")
  }

  @Test("Of several merges of one pair the last counts, also across the halves")
  func order() throws {
    var long = vocabulary(#"["xx","yy"]"#)
    // "bc" first, then "ab": "abc" is a, bc. Naming b, c again at the end makes ab come first, and abc is no merge of it.
    long.merges.removeAll { $0 == #""ab c""# }
    #expect(try long.load().encode("abc") == [266])
    long.merges.append(#"["b","c"]"#)
    #expect(try long.load().encode("abc") == [264, 263])
  }

  @Test("A fault in either half is found", arguments: [0.1, 0.49, 0.51, 0.9, 1])
  func faults(_ place: Double) throws {
    for wrong in [#"["a"]"#, #"["a","b""#, "7", #"["a","b"] ["a","b"]"#] {
      var long = vocabulary(#"["xx","yy"]"#)
      let index = min(Int(place * Double(long.merges.count)), long.merges.count - 1)
      let before = long.merges[..<index].reduce(0) { $0 + $1.utf8.count + 2 }
      long.merges[index] = wrong
      let start = try #require(long.json.range(of: #""merges":["#)).upperBound.utf16Offset(in: long.json)
      let error = #expect(throws: GemmaError.self) { try long.load() }
      guard case .malformedFile(_, let reason) = error else {
        return #expect(Bool(false), "\(String(describing: error))")
      }
      // The message names the byte, which is where one thread would have stopped.
      let offset = try #require(Int(reason.split(separator: " ").last?.dropLast() ?? ""))
      #expect(abs(offset - start - before) < 40, "\(wrong) at \(place): \(reason)")
    }
  }

  @Test("Merges may come before the pieces, and a file may end inside them")
  func early() throws {
    let json = vocabulary(#"["xx","yy"]"#).json
    let merges = try #require(json.range(of: #""merges":["#))
    let model = try #require(json.range(of: #""model":{"#))
    let list = json[merges.lowerBound...].dropLast(2)
    var early = json
    early.removeSubrange(merges.lowerBound..<list.endIndex)
    early.insert(contentsOf: list + ",", at: model.upperBound)
    early = early.replacingOccurrences(of: ",}}", with: "}}")
    let loaded = try SmallVocabulary.load(Data(early.utf8))
    #expect(loaded.encode("abcabb a") == [266, 264, 262, 267])
    for cut in [json.utf8.count / 2 - 3, json.utf8.count - 100, json.utf8.count - 3] {
      #expect(throws: GemmaError.self) { try SmallVocabulary.load(Data(json.utf8.prefix(cut))) }
    }
  }
}
