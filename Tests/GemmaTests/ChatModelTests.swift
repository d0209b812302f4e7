import Foundation
import Gemma
import GemmaTestSupport
import Testing

private let vocabulary = Fixtures.testData("gemma4-tokenizer/tokenizer.json")

@Suite struct ChatModelTests {
  @Test(
    "a Gemma 4 without per-layer embeddings in its config.json gets the empty thought, one with them does not",
    .enabled(if: vocabulary != nil, "needs gemma4-tokenizer"),
    arguments: [("gemma4-keqv", true), ("gemma4-e", false)])
  func emptyThought(_ fixture: String, _ isExpected: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "gemma-chat-\(UUID().uuidString)")
    try FileManager.default.copyItem(at: Fixtures.model(fixture), to: folder)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "tokenizer.json"), withDestinationURL: try #require(vocabulary))
    try Data("{{ messages }}".utf8).write(to: folder.appending(path: "chat_template.jinja"))
    let model = try await GemmaModel(at: folder)
    let tokens = try model.render(instructions: nil, prompt: "Hi")
    #expect(tokens.starts(with: [2, 105, 2364, 107, 10979, 106, 107, 105, 4368, 107]))
    #expect(tokens.dropFirst(10) == (isExpected ? [100, 45518, 107, 101] : []))
  }
}
