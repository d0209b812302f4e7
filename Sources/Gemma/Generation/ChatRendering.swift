import Foundation
package import GemmaChat
package import GemmaRuntime
import GemmaTokenization
import GemmaWeights

extension GemmaModel {
  /// The chat format of a model that was tuned on conversations, nil for a base model: the two share their vocabulary,
  /// but only the former stops at the end of a turn or comes with a template.
  static func chatFormat(of checkpoint: Checkpoint, _ tokenizer: GemmaTokenizer) -> ChatFormat? {
    let hasPerLayerEmbeddings = checkpoint.configuration.perLayerInputSize > 0
    guard let format = ChatFormat.detect(in: tokenizer, hasPerLayerEmbeddings: hasPerLayerEmbeddings) else {
      return nil
    }
    let stopsAtTurns = format.endOfTurn(in: tokenizer).map(checkpoint.generation.stopTokens.contains) ?? false
    let template = checkpoint.url.appending(path: "chat_template.jinja").path
    return stopsAtTurns || FileManager.default.fileExists(atPath: template) ? format : nil
  }

  /// The tokens of one question with chat turns around it.
  package func render(instructions: String?, prompt: String) throws(GemmaError) -> [TokenID] {
    try render([ChatTurn(role: .user, text: prompt)], instructions: instructions)
  }

  /// The tokens of a conversation, ready for the model's answer. `instructions` is what the model knows before the first
  /// turn.
  package func render(_ turns: [ChatTurn], instructions: String?) throws(GemmaError) -> [TokenID] {
    guard turns.last?.text.isEmpty == false else { throw .invalidInput("the prompt is empty") }
    let tokenizer = try tokenizer
    guard let chatFormat else {
      throw .unsupportedModel(
        "it is a base model: no chat template, and no end of turn among its stop tokens. "
          + "Continue plain text instead: GemmaContext, or `gemma run --raw`")
    }
    let system = instructions.map { [ChatTurn(role: .system, text: $0)] } ?? []
    return try chatFormat.render(system + turns, with: tokenizer)
  }
}
