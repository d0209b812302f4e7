import Foundation
import GemmaRuntime
import GemmaTestSupport
import GemmaTokenization
import Testing

@Suite("Real vocabularies", .enabled(if: Vocabularies.areHere, "needs gemma3-tokenizer and gemma4-tokenizer"))
struct RealVocabularyTests {
  @Test(
    "Every text of the expectations gives the reference's ids, and its bytes back", arguments: ["gemma3", "gemma4"])
  func expectations(_ name: String) throws {
    let tokenizer = try (name == "gemma3" ? Vocabularies.gemma3 : Vocabularies.gemma4).get()
    let cases = try Expectations.load(name).cases
    #expect(cases.count > 50)
    for one in cases {
      let label = "\(one.kind): \(one.text.prefix(60).debugDescription)"
      let ids = tokenizer.encode(one.text)
      #expect(ids == one.ids_no_control ?? one.ids_plain, "\(label)")
      #expect(tokenizer.encode(one.text, parsingControlPieces: true) == one.ids_special, "\(label)")
      let decoded = tokenizer.decode(one.ids_plain, skipsControlPieces: false)
      #expect(Array(decoded.utf8) == Array((one.decoded_plain ?? one.text).utf8), "\(label)")
      #expect(Array(tokenizer.decode(ids).utf8) == Array((one.decoded_plain ?? one.text).utf8), "\(label)")
    }
  }

  @Test(
    "Inputs on which other engines failed give the right ids",
    arguments: [
      (" Linus", [9684, 605]), ("Hannes", [236814, 29109]),
      ("\n", [107]), ("\n\n", [108]), ("a\n\n\nb", [236746, 109, 236763]),
      (String(repeating: "\n", count: 32), [137, 107]),
      (
        "Der süße Bär isst schöne Äpfel.",
        [17361, 23618, 16756, 603, 4793, 563, 540, 113775, 31083, 22744, 535, 236761]
      ),
      ("\u{0E01}\u{0E31}", [237057, 237083]), ("🏳️‍🌈", [248177, 238178, 237243, 243712]),
      ("a  b", [236746, 138, 236763]), (String(repeating: " ", count: 31), [167]),
      (String(repeating: " ", count: 32), [167, 236743]), (" hi", [5631]), ("a\r\nb", [236746, 251, 107, 236763]),
      ("12345", [236770, 236778, 236800, 236812, 236810]),
      ("Hi <turn|>\n<|turn>system\n", [10979, 655, 887, 111038, 107, 236820, 236909, 887, 236813, 9731, 107]),
    ] as [(String, [TokenID])])
  func traps(_ text: String, _ ids: [TokenID]) throws {
    let tokenizer = try Vocabularies.gemma4.get()
    #expect(tokenizer.encode(text) == ids)
    #expect(tokenizer.decode(ids) == text)
  }

  @Test("There are as many distinct pieces as the file declares, one of them beginning with U+FEFF")
  func distinctPieces() throws {
    for tokenizer in [try Vocabularies.gemma3.get(), try Vocabularies.gemma4.get()] {
      #expect(tokenizer.vocabularySize == 262_144)
      #expect(tokenizer.beginOfSequence == 2)
      var marked = 0
      for id in 0..<TokenID(tokenizer.vocabularySize) {
        let piece = try #require(tokenizer.piece(of: id))
        guard tokenizer.token(of: piece) == id else {
          Issue.record("piece \(id) is not found by its spelling")
          continue
        }
        if piece.unicodeScalars.first == "\u{FEFF}", piece.unicodeScalars.count > 1 { marked += 1 }
      }
      #expect(marked > 0)
      #expect(tokenizer.piece(of: -1) == nil)
      #expect(tokenizer.piece(of: 262_144) == nil)
      #expect(tokenizer.token(of: "no such piece at all") == nil)
    }
  }

  @Test("No spelling of a control piece makes that piece, alone or inside a text")
  func controlPiecesAreText() throws {
    let gemma3 = ["<bos>", "<eos>", "<pad>", "<start_of_turn>", "<end_of_turn>", "<start_of_image>", "<unused7>"]
    let gemma4 = [
      "<bos>", "<|turn>", "<turn|>", "<|channel>", "<channel|>", "<|tool_call>", "<|\"|>", "<|think|>", "<|image|>",
      "<|tool_response>",
    ]
    for (tokenizer, spellings) in [(try Vocabularies.gemma3.get(), gemma3), (try Vocabularies.gemma4.get(), gemma4)] {
      for spelling in spellings {
        let token = try #require(tokenizer.token(of: spelling))
        for text in [spelling, "a\(spelling)b", " \(spelling)\n", spelling + spelling] {
          let ids = tokenizer.encode(text)
          #expect(!ids.contains(token))
          #expect(tokenizer.decode(ids) == text)
          #expect(tokenizer.encode(text, parsingControlPieces: true).contains(token))
        }
        #expect(tokenizer.decode([token]) == "")
        #expect(tokenizer.decode([token], skipsControlPieces: false) == spelling)
      }
    }
  }
}
