import GemmaModels
import GemmaRuntime
import GemmaTokenization

/// Writes an answer as its tokens come: their text, and where it ends.
struct AnswerWriter {
  private(set) var text = ""
  /// Without the token that ended the turn.
  private(set) var tokens: [TokenID] = []
  /// nil: it goes on.
  private(set) var finishReason: FinishReason?
  private var detokenizer: StreamingDetokenizer?
  private var matcher: StopMatcher
  private let endOfTurn: Set<TokenID>
  private let maximum: Int?
  private let room: Int

  /// `room`: tokens that fit into the context behind the prompt.
  init(_ model: GemmaModel, _ options: GenerationOptions, room: Int) throws(GemmaError) {
    detokenizer = model.info.hasTokenizer ? StreamingDetokenizer(try model.tokenizer) : nil
    matcher = StopMatcher(options.stop)
    endOfTurn = options.ignoresEndOfTurn ? [] : Set(model.loaded.checkpoint.generation.stopTokens)
    maximum = options.maximumResponseTokens
    self.room = room
  }

  /// The most tokens that may follow.
  var limit: Int { maximum.map { $0 - tokens.count } ?? .max }

  /// Takes tokens up to the one that ends the answer; returns how many. `emit` gets the text that is certain now.
  mutating func take(_ next: [TokenID], _ emit: (String) -> Void) -> Int {
    var taken = 0
    while taken < next.count, finishReason == nil {
      finishReason = take(next[taken], emit)
      taken += 1
    }
    return taken
  }

  /// Hands out what was held back.
  mutating func finish(_ emit: (String) -> Void) {
    if let rest = detokenizer?.finish() { deliver(matcher.append(rest), emit) }
    deliver(matcher.finish(), emit)
  }

  private mutating func take(_ token: TokenID, _ emit: (String) -> Void) -> FinishReason? {
    if endOfTurn.contains(token) { return .endOfTurn }
    tokens.append(token)
    if let text = detokenizer?.append(token) { deliver(matcher.append(text), emit) }
    if matcher.isStopped { return .stopSequence }
    if let maximum, tokens.count >= maximum { return .maximumTokens }
    // The last token needs no place: nothing is predicted from it.
    return tokens.count > room ? .contextFull : nil
  }

  private mutating func deliver(_ new: String, _ emit: (String) -> Void) {
    guard !new.isEmpty else { return }
    text += new
    emit(new)
  }
}
