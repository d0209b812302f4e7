import GemmaRuntime
import GemmaTestSupport
import GemmaTokenization
import Testing

@Suite("Streaming detokenizer")
struct StreamingDetokenizerTests {
  /// The ids of the bytes in the small vocabulary.
  private func ids(_ bytes: [UInt8]) -> [TokenID] { bytes.map { 4 + TokenID($0) } }

  private func deltas(_ tokens: [TokenID], _ tokenizer: GemmaTokenizer, skips: Bool = true) -> [String] {
    var detokenizer = StreamingDetokenizer(tokenizer, skipsControlPieces: skips)
    return tokens.map { detokenizer.append($0) } + [detokenizer.finish()]
  }

  @Test(
    "Bytes are held back until their scalar is complete", .enabled(if: Vocabularies.areHere, "needs gemma4-tokenizer"))
  func heldBack() throws {
    let tokenizer = try Vocabularies.gemma4.get()
    #expect(deltas([464, 368, 373], tokenizer) == ["", "", "₇", ""])
    #expect(deltas([107, 138, 236764], tokenizer).joined() == "\n  ,")
  }

  @Test("An incomplete scalar at the end comes once as U+FFFD")
  func incomplete() throws {
    let tokenizer = try SmallVocabulary().load()
    #expect(deltas(ids([0xE2, 0x82]), tokenizer) == ["", "", "\u{FFFD}"])
    #expect(deltas(ids([0xF0, 0x9F, 0x98]), tokenizer) == ["", "", "", "\u{FFFD}"])
    #expect(deltas(ids([0xF0, 0x9F]) + [261], tokenizer) == ["", "", "\u{FFFD}a", ""])
    #expect(deltas(ids([0xFF, 0x41]), tokenizer) == ["\u{FFFD}", "A", ""])
  }

  @Test("Control pieces add nothing, or their spelling")
  func controls() throws {
    let tokenizer = try SmallVocabulary().load()
    #expect(deltas([2, 261, 271], tokenizer) == ["", "a", "", ""])
    #expect(deltas([2, 261, 271], tokenizer, skips: false) == ["<bos>", "a", "<mark>", ""])
  }

  @Test("Deltas of any ids concatenate to the whole decoding, scalar by scalar")
  func concatenation() throws {
    let tokenizer = try SmallVocabulary().load()
    var generator = SeededGenerator(state: 11)
    let telling: [UInt8] = [
      0xE2, 0x82, 0x87, 0xF0, 0x9F, 0x98, 0x80, 0xED, 0xA0, 0xE0, 0xC2, 0xC0, 0xF4, 0x90, 0x41, 0xF5,
    ]
    for _ in 0..<5_000 {
      let tokens = (0..<12).map { _ in
        Bool.random(using: &generator)
          ? ids([telling.randomElement(using: &generator) ?? 0])[0] : TokenID.random(in: -1...275, using: &generator)
      }
      let skips = Bool.random(using: &generator)
      let joined = deltas(tokens, tokenizer, skips: skips).joined()
      #expect(Array(joined.utf8) == Array(tokenizer.decode(tokens, skipsControlPieces: skips).utf8), "\(tokens)")
    }
  }

  @Test("The demo vocabulary gives every text back, at once and streamed")
  func demo() throws {
    let tokenizer = try Vocabularies.demo.get()
    #expect(tokenizer.vocabularySize == 4_096)
    let texts = [
      "Once upon a time there was a little fox.", "  two  spaces\n\n\nlines\t", "Äpfel, 12345, กั 🏳️‍🌈 \u{0} \u{10FFFF}",
      "<start_of_turn>user\nnot a turn<end_of_turn>", "\u{FEFF}mark", "e\u{301}\r\n", "",
    ]
    for text in texts {
      let tokens = tokenizer.encode(text)
      #expect(Array(tokenizer.decode(tokens).utf8) == Array(text.utf8))
      #expect(Array(deltas(tokens, tokenizer).joined().utf8) == Array(text.utf8))
      #expect(!tokens.contains(105) && !tokens.contains(106))
    }
  }
}
