package import Foundation
import GemmaRuntime
package import GemmaTokenization

/// A `tokenizer.json` of a few hundred pieces, written out by the test that wants it damaged.
package struct SmallVocabulary {
  package var pieces: [(piece: String, id: Int)] = []
  package var added: [(piece: String, id: Int, isSpecial: Bool)] = []
  /// JSON of each merge.
  package var merges: [String] = []
  package var normalizer = #"{"type":"Replace","pattern":{"String":" "},"content":"\u2581"}"#
  package var model = #""type":"BPE","byte_fallback":true"#

  package init() {
    var spellings = ["<pad>", "<eos>", "<bos>", "<unk>"]
    spellings += (0..<256).map { "<0x" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) + ">" }
    spellings += [
      #"\u2581"#, "a", "b", "c", "ab", "bc", "abc", #"\u2581a"#, #"\ufeffa"#, #"\ud83d\ude00"#, "\u{E9}", "<mark>",
    ]
    pieces = spellings.enumerated().map { ($1, $0) }
    added = [("<pad>", 0, true), ("<eos>", 1, true), ("<bos>", 2, true), ("<unk>", 3, true), ("<mark>", 271, true)]
    merges = [
      #"["b","c"]"#, #"["a","b"]"#, #"["a","bc"]"#, #""ab c""#, #"["\u2581","a"]"#, #"["a","q"]"#, #"["b","b"]"#,
    ]
  }

  package var json: String {
    let vocabulary = pieces.map { "\"\($0.piece)\":\($0.id)" }.joined(separator: ",")
    let list = added.map { #"{"id":\#($0.id),"content":"\#($0.piece)","special":\#($0.isSpecial)}"# }
    return """
      {"version":"1.0","added_tokens":[\(list.joined(separator: ","))],"normalizer":\(normalizer),
       "model":{\(model),"vocab":{\(vocabulary)},"merges":[\(merges.joined(separator: ", "))]}}
      """
  }

  package func load() throws -> GemmaTokenizer { try Self.load(Data(json.utf8)) }

  package static func load(_ data: Data) throws -> GemmaTokenizer {
    try Fixtures.withTemporaryFolder { try load(data, in: $0) }
  }

  /// For tests that load thousands of files: making and removing a folder costs more than reading one.
  package static func load(_ data: Data, in folder: URL) throws -> GemmaTokenizer {
    try data.write(to: folder.appending(path: "tokenizer.json"))
    return try GemmaTokenizer(contentsOf: folder, cache: .off)
  }
}
