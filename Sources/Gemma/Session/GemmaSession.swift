package import GemmaChat
import GemmaRuntime
import GemmaTokenization
import Synchronization

/// One conversation with a model.
///
/// Safe to share; one prompt is answered at a time, and a second one meanwhile throws ``GemmaError/sessionBusy``.
/// Sessions take turns, a token or some layers of a long prompt at a time, so that all of them make progress.
public final class GemmaSession: Sendable {
  private struct State {
    var turns: [ChatTurn] = []
    var isResponding = false
  }

  private let model: GemmaModel
  private let instructions: String?
  private let timeline: TimelineActor
  private let state = Mutex(State())

  /// A new conversation.
  ///
  /// - Parameters:
  ///   - instructions: What the model should know before the first prompt (the system turn).
  ///   - drafter: What drafts ahead, loaded for this model. Earlier text that began alike is used in any case; see
  ///     ``GenerationOptions/speculation``. Its memory is taken with the first prompt; where there is no room for it,
  ///     answers come without it, and ``SpeculationStatistics/failure`` says so.
  public init(_ model: GemmaModel, instructions: String? = nil, drafter: GemmaDrafter? = nil) {
    self.model = model
    self.instructions = instructions
    timeline = TimelineActor(model, drafter: drafter)
  }

  /// Whether a prompt is being answered.
  public var isResponding: Bool { state.withLock { $0.isResponding } }

  /// Answers a prompt.
  ///
  /// Cancelling the task throws `CancellationError` within milliseconds. A prompt that was cancelled or failed leaves
  /// no turn behind; the caches keep the complete chunks.
  @discardableResult
  public func respond(
    to prompt: String, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try begin()
    return try await answer(prompt, options) { _ in }
  }

  /// Answers a prompt piece by piece. Errors, ``GemmaError/sessionBusy`` too, are thrown while reading the stream.
  public func streamResponse(to prompt: String, options: GenerationOptions = GenerationOptions()) -> ResponseStream {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: ResponseStream.Element.self)
    let whole = WholeResponse()
    do {
      try begin()
    } catch {
      continuation.finish(throwing: error)
      return ResponseStream(base: stream, whole: whole)
    }
    let task = Task {
      do {
        let response = try await self.answer(prompt, options) { continuation.yield(.text($0)) }
        whole.value = response
        continuation.yield(.finished(response.finishReason, response.statistics))
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return ResponseStream(base: stream, whole: whole)
  }

  private func begin() throws(GemmaError) {
    let isFree = state.withLock { state in
      defer { state.isResponding = true }
      return !state.isResponding
    }
    guard isFree else { throw .sessionBusy }
  }

  /// Expects that `begin()` succeeded.
  private func answer(
    _ prompt: String, _ options: GenerationOptions, emit: @Sendable (String) -> Void
  ) async throws -> Response<String> {
    defer { state.withLock { $0.isResponding = false } }
    let generator = try Generator(model, on: timeline, options: options)
    let user = ChatTurn(role: .user, text: prompt)
    let tokens = try render(state.withLock { $0.turns } + [user])
    let answer = try await generator.answer(to: tokens, emit: emit)
    state.withLock { $0.turns += [user, ChatTurn(role: .model, text: answer.text)] }
    return Response(
      content: answer.text, tokens: answer.tokens, promptTokens: tokens, finishReason: answer.finishReason,
      statistics: answer.statistics)
  }

  private func render(_ turns: [ChatTurn]) throws(GemmaError) -> [TokenID] {
    let system = instructions.map { [ChatTurn(role: .system, text: $0)] } ?? []
    return try model.render(system + turns)
  }
}

extension GemmaModel {
  /// The tokens of a conversation, ready for the model's answer.
  package func render(_ turns: [ChatTurn]) throws(GemmaError) -> [TokenID] {
    guard turns.last?.text.isEmpty == false else { throw .invalidInput("the prompt is empty") }
    let tokenizer = try tokenizer
    guard let chatFormat else {
      throw .unsupportedModel(
        "it is a base model: no chat template, and no end of turn among its stop tokens. "
          + "Continue plain text instead: GemmaContext, or `gemma run --raw`")
    }
    return try chatFormat.render(turns, with: tokenizer)
  }
}
