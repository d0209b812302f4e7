package import GemmaRuntime
package import GemmaTokenization

/// How a family of models writes conversations.
package enum ChatFormat: Sendable, Hashable {
  /// Gemma 3 and 3n: `<start_of_turn>ROLE`, a newline, the content, `<end_of_turn>` and a newline. No system role.
  case gemma3
  /// Gemma 4: `<|turn>ROLE`, a newline, the content, `<turn|>` and a newline.
  ///
  /// With `emptyThought` the opened turn of the model begins with a thought channel that is closed at once, which is
  /// how the templates of 12B, 26B-A4B and 31B switch thinking off. Those of E2B and E4B have nothing there.
  case gemma4(emptyThought: Bool)

  /// The format whose marks the vocabulary has. Base models share the vocabulary of the tuned ones, so this does not
  /// tell whether a model was trained on conversations.
  ///
  /// - Parameter hasPerLayerEmbeddings: Whether the model's `hidden_size_per_layer_input` is above 0. That tells which
  ///   Gemma 4 wants the empty thought: per-layer embeddings are what makes a size "effective" (the E of E2B and E4B),
  ///   those two have them, and no other size does. The template cannot tell: those of the E models spell the channel
  ///   too, for thoughts in the history.
  package static func detect(in tokenizer: GemmaTokenizer, hasPerLayerEmbeddings: Bool) -> ChatFormat? {
    [ChatFormat.gemma4(emptyThought: !hasPerLayerEmbeddings), .gemma3].first { format in
      tokenizer.token(of: format.spelling.open) != nil && tokenizer.token(of: format.spelling.close) != nil
    }
  }

  /// The ids of a conversation: `<bos>` once, every turn, and the opening of the model's next turn.
  ///
  /// Marks enter as ids and everything else is encoded without control pieces, so that no content, whoever wrote it,
  /// can open or close a turn. The line with the role is encoded together with the content behind it, as the models
  /// were trained.
  ///
  /// - Throws: `.invalidInput` if there is no turn, or if the turns' order is not one the format knows;
  ///   `.unsupportedModel` if the vocabulary lacks the marks.
  package func render(_ turns: [ChatTurn], with tokenizer: GemmaTokenizer) throws(GemmaError) -> [TokenID] {
    let marks = try pair(spelling, in: tokenizer)
    var output = [tokenizer.beginOfSequence]
    for turn in try self == .gemma3 ? Self.gemma3Turns(turns) : Self.gemma4Turns(turns) {
      output.append(marks.open)
      output += tokenizer.encode("\(turn.role.rawValue)\n\(turn.text)")
      output.append(marks.close)
      output += tokenizer.encode("\n")
    }
    output.append(marks.open)
    output += tokenizer.encode("model\n")
    if self == .gemma4(emptyThought: true) {
      let channel = try pair(("<|channel>", "<channel|>"), in: tokenizer)
      output.append(channel.open)
      output += tokenizer.encode("thought\n")
      output.append(channel.close)
    }
    return output
  }

  /// The id that ends a turn, or nil if the vocabulary lacks it. Tuned models list it among their stop tokens.
  package func endOfTurn(in tokenizer: GemmaTokenizer) -> TokenID? {
    tokenizer.token(of: spelling.close)
  }

  private var spelling: (open: String, close: String) {
    switch self {
    case .gemma3: ("<start_of_turn>", "<end_of_turn>")
    case .gemma4: ("<|turn>", "<turn|>")
    }
  }

  private func pair(
    _ spelling: (open: String, close: String), in tokenizer: GemmaTokenizer
  ) throws(GemmaError) -> (open: TokenID, close: TokenID) {
    guard let open = tokenizer.token(of: spelling.open), let close = tokenizer.token(of: spelling.close) else {
      throw .unsupportedModel("the vocabulary has no pieces \(spelling.open) and \(spelling.close)")
    }
    return (open, close)
  }

  /// The text of a system turn goes in front of the first user turn, untrimmed and with a blank line behind it.
  private static func gemma3Turns(_ turns: [ChatTurn]) throws(GemmaError) -> [ChatTurn] {
    var rest = turns[...]
    var prefix = ""
    if let first = rest.first, first.role == .system {
      prefix = first.text + "\n\n"
      rest.removeFirst()
    }
    guard !rest.isEmpty else { throw .invalidInput("the conversation has no user turn") }
    var output: [ChatTurn] = []
    for (index, turn) in rest.enumerated() {
      guard turn.role == (index % 2 == 0 ? .user : .model) else {
        throw .invalidInput(
          "turn \(index + 1) is the \(turn.role.rawValue)'s; user and model must alternate, user first")
      }
      output.append(ChatTurn(role: turn.role, text: (index == 0 ? prefix : "") + trimmed(turn.text)))
    }
    return output
  }

  /// Every text is trimmed; the model's thoughts are left out; model turns that follow each other are one turn.
  private static func gemma4Turns(_ turns: [ChatTurn]) throws(GemmaError) -> [ChatTurn] {
    guard !turns.isEmpty else { throw .invalidInput("the conversation is empty") }
    var output: [ChatTurn] = []
    for (index, turn) in turns.enumerated() {
      guard turn.role != .system || index == 0 else {
        throw .invalidInput("turn \(index + 1) is the system's, which can only stand first")
      }
      let text = trimmed(turn.role == .model ? withoutThoughts(turn.text) : turn.text)
      if turn.role == .model, let last = output.indices.last, output[last].role == .model {
        output[last].text += text
      } else {
        output.append(ChatTurn(role: turn.role, text: text))
      }
    }
    return output
  }

  /// Leaves out every span from `<|channel>` to `<channel|>`; one without an end reaches to the end of the text.
  private static func withoutThoughts(_ text: String) -> String {
    let open = Array("<|channel>".unicodeScalars)
    let close = Array("<channel|>".unicodeScalars)
    let scalars = Array(text.unicodeScalars)
    var output = String.UnicodeScalarView()
    var position = 0
    var isThought = false
    while position < scalars.count {
      if scalars[position...].starts(with: open) {
        isThought = true
        position += open.count
      } else if scalars[position...].starts(with: close) {
        isThought = false
        position += close.count
      } else {
        if !isThought { output.append(scalars[position]) }
        position += 1
      }
    }
    return String(output)
  }

  /// Without white space at both ends, by what Python's `strip` takes for it: the published templates use that.
  private static func trimmed(_ text: String) -> String {
    func isSpace(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isWhitespace || (0x1C...0x1F).contains(scalar.value)
    }
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !isSpace($0) }),
      let last = scalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(scalars[first...last])
  }
}
