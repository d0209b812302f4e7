import Foundation
import GemmaRuntime
import GemmaTestSupport
import GemmaTokenization
import Testing

/// One way to change a good file.
struct Damage: Sendable, CustomStringConvertible {
  let description: String
  let apply: @Sendable (inout SmallVocabulary) -> Void

  init(_ description: String, _ apply: @escaping @Sendable (inout SmallVocabulary) -> Void) {
    self.description = description
    self.apply = apply
  }
}

@Suite("tokenizer.json")
struct TokenizerFileTests {
  @Test("Escapes, surrogate pairs, U+FEFF and merges in both spellings are read")
  func readsEverything() throws {
    let tokenizer = try SmallVocabulary().load()
    #expect(tokenizer.vocabularySize == 272)
    #expect(tokenizer.token(of: "\u{FEFF}a") == 268)
    #expect(tokenizer.encode("abc") == [266])
    #expect(tokenizer.encode(" a") == [267])
    #expect(tokenizer.encode("abb") == [264, 262])
    #expect(tokenizer.encode("😀é") == [269, 270])
    #expect(tokenizer.encode("<mark>").contains(271) == false)
    #expect(tokenizer.encode("a<mark>", parsingControlPieces: true) == [261, 271])
    #expect(tokenizer.encode("\u{0}ü") == [4, 4 + 0xC3, 4 + 0xBC])
  }

  @Test("Added pieces may have ids beyond the vocabulary, even before others")
  func addedBeyond() throws {
    var vocabulary = SmallVocabulary()
    vocabulary.added.append(("<image_soft_token>", 300, false))
    vocabulary.added.append(("\\n\\n", 272, false))
    let tokenizer = try vocabulary.load()
    #expect(tokenizer.vocabularySize == 301)
    #expect(tokenizer.piece(of: 300) == "<image_soft_token>")
    #expect(tokenizer.piece(of: 299) == nil)
    #expect(tokenizer.encode("a\n\n\n") == [261, 272, 4 + 10])
    #expect(!tokenizer.encode("<image_soft_token>").contains(300))
    #expect(tokenizer.decode([261, 299, 262, -7, 5_000]) == "ab")
  }

  @Test("A folder without the file is a model that is not there")
  func missing() throws {
    try Fixtures.withTemporaryFolder { folder in
      let error = #expect(throws: GemmaError.self) { try GemmaTokenizer(contentsOf: folder) }
      guard case .modelNotFound = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }
  }

  @Test(
    "What does not fit together is a malformed file",
    arguments: [
      Damage("a piece twice") { $0.pieces[261].piece = "b" },
      Damage("an id twice") { $0.pieces[261].id = 262 },
      Damage("a gap") { $0.pieces[261].id = 272 },
      Damage("an id far away") { $0.pieces[261].id = 9_999_999 },
      Damage("an empty piece") { $0.pieces[261].piece = "" },
      Damage("half a surrogate pair") { $0.pieces[261].piece = #"\ud83d"# },
      Damage("a wrong pair") { $0.pieces[261].piece = #"\ud83dA"# },
      Damage("no bytes") { $0.pieces[100].piece = "xyz" },
      Damage("no space") { $0.pieces[260].piece = "xyz" },
      Damage("no <bos>") {
        $0.pieces[2].piece = "xyz"
        $0.added.remove(at: 2)
      },
      Damage("an added piece of another id") { $0.added[4].id = 270 },
      Damage("a new added piece on a taken id") { $0.added.append(("<other>", 261, false)) },
      Damage("a merge of one part") { $0.merges.append(#"["a"]"#) },
      Damage("a merge of three parts") { $0.merges.append(#"["a","b","c"]"#) },
      Damage("a merge without a space") { $0.merges.append(#""ab""#) },
      Damage("a merge of numbers") { $0.merges.append("[1,2]") },
      Damage("a comma too many") { $0.merges.append("") },
      Damage("no vocabulary") { $0.pieces = [] },
      Damage("two models") { $0.normalizer += #","model":{}"# },
      Damage("a setting twice") { $0.model += #","byte_fallback":true"# },
      Damage("a key twice in a part that nobody reads") { $0.model += #","x":[{"y":1,"\u0079":2}]"# },
      Damage("a wrong number in a part that nobody reads") { $0.model += #","x":[01]"# },
      Damage("half a surrogate pair in a part that nobody reads") { $0.model += #","x":"\udc00""# },
    ])
  func malformed(_ damage: Damage) throws {
    var vocabulary = SmallVocabulary()
    damage.apply(&vocabulary)
    let error = #expect(throws: GemmaError.self, "\(damage)") { try vocabulary.load() }
    guard case .malformedFile = error else { return #expect(Bool(false), "\(damage): \(String(describing: error))") }
  }

  @Test(
    "Tokenizers of another kind are refused, not misread",
    arguments: [
      Damage("type") { $0.model = #""type":"Unigram","byte_fallback":true"# },
      Damage("no byte fallback") { $0.model = #""type":"BPE","byte_fallback":false"# },
      Damage("ignore_merges") { $0.model += #","ignore_merges":true"# },
      Damage("normaliser") { $0.normalizer = #"{"type":"NFC"}"# },
      Damage("no normaliser") { $0.normalizer = "null" },
    ])
  func unsupported(_ damage: Damage) throws {
    var vocabulary = SmallVocabulary()
    damage.apply(&vocabulary)
    let error = #expect(throws: GemmaError.self, "\(damage)") { try vocabulary.load() }
    guard case .unsupportedModel = error else { return #expect(Bool(false), "\(damage): \(String(describing: error))") }
  }

  @Test("Any truncation is an error, and any flipped bytes are an error or a tokenizer that works")
  func fuzz() throws {
    try Fixtures.withTemporaryFolder { folder in
      let whole = Data(SmallVocabulary().json.utf8)
      for length in stride(from: 0, to: whole.count, by: 13) {
        #expect(throws: GemmaError.self) { try SmallVocabulary.load(whole.prefix(length), in: folder) }
      }
      var generator = SeededGenerator(state: 7)
      var loaded = 0
      for _ in 0..<1_500 {
        var damaged = whole
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          damaged[Int.random(in: 0..<damaged.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        do {
          let tokenizer = try SmallVocabulary.load(damaged, in: folder)
          loaded += 1
          let text = "abc a <mark>\u{E9}\u{1F600} \n"
          #expect(tokenizer.decode(tokenizer.encode(text)).isEmpty == false)
          _ = tokenizer.decode((-3..<400).map { TokenID($0) }, skipsControlPieces: false)
        } catch let error as GemmaError {
          switch error {
          case .malformedFile, .unsupportedModel: break
          default: Issue.record("\(error)")
          }
        }
      }
      #expect(loaded > 0 && loaded < 1_500)
    }
  }

  @Test("Deep nesting is an error, not an exhausted stack")
  func nesting() {
    let bomb = Data((#"{"x":"# + String(repeating: "[", count: 200_000)).utf8)
    #expect(throws: GemmaError.self) { try SmallVocabulary.load(bomb) }
  }
}
