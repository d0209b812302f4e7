import CKernels
import Models
package import Tensors
import Tokenization

/// Owns a timeline and keeps every use of it on the compute thread.
package actor TimelineActor {
  /// Tokens that were there already and tokens that went through the model.
  package struct Reuse: Sendable, Hashable {
    package var cached: Int
    package var computed: Int
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { ComputeThread.shared.asUnownedSerialExecutor() }

  private let model: GemmaModel
  private let options: GemmaModel.Options
  private let contextLength: Int
  private var timeline: Timeline?
  /// Number of tokens whose last one the logits belong to; nil after a rewind or a stop half-way.
  private var logitsCount: Int?

  /// - Parameter options: Those of the model, unless given.
  package init(_ model: GemmaModel, options: GemmaModel.Options? = nil) {
    self.model = model
    self.options = options ?? model.options
    contextLength = self.options.contextLength(for: model.loaded.configuration)
  }

  package var tokens: [TokenID] { timeline?.tokens ?? [] }

  /// Made at the first use, so that a session without a prompt costs nothing.
  private func opened() throws(GemmaError) -> Timeline {
    if let timeline { return timeline }
    let made = try Timeline(model.loaded, contextLength: contextLength, options: options.compute)
    timeline = made
    return made
  }

  /// Makes the timeline hold exactly these tokens: keeps the common beginning and computes the rest.
  package func sync(to wanted: [TokenID], progress: (@Sendable (Int) -> Void)? = nil) throws -> Reuse {
    guard !wanted.isEmpty else { throw GemmaError.invalidInput("there are no tokens; a prompt needs at least one") }
    guard wanted.count <= contextLength else {
      throw GemmaError.contextLengthExceeded(limit: contextLength, requested: wanted.count)
    }
    let timeline = try opened()
    let common = zip(timeline.tokens, wanted).prefix { $0 == $1 }.count
    if common == wanted.count, common == timeline.tokens.count, logitsCount == common {
      return Reuse(cached: common, computed: 0)
    }
    // The last token always goes through the model: its logits are what the caller is after.
    var kept = min(common, wanted.count - 1)
    if kept < timeline.tokens.count {
      logitsCount = nil
      kept = timeline.rewind(to: kept)
    }
    try append(Array(wanted[kept...]), progress: progress)
    return Reuse(cached: kept, computed: wanted.count - kept)
  }

  package func append(_ tokens: [TokenID], progress: (@Sendable (Int) -> Void)? = nil) throws {
    let timeline = try opened()
    logitsCount = nil
    try timeline.advance(tokens, shouldStop: { Task.isCancelled }, progress: { progress?($0) })
    logitsCount = timeline.tokens.count
  }

  /// Appends tokens and hands out the logits of each; `body` gets the token's index and runs on the compute thread.
  package func append(
    _ tokens: [TokenID], eachRow body: @Sendable (Int, UnsafeBufferPointer<Float>) throws -> Void
  ) throws {
    let timeline = try opened()
    logitsCount = nil
    try timeline.advance(tokens, shouldStop: { Task.isCancelled }, eachRow: body)
  }

  /// Reads the logits of the last token.
  package func withLogits<Result: Sendable>(
    _ body: (UnsafeBufferPointer<Float>) throws -> Result
  ) throws -> Result {
    let timeline = try opened()
    guard logitsCount == timeline.tokens.count, logitsCount != 0 else {
      throw GemmaError.invalidInput("there is no prediction yet; sync the context to some tokens first")
    }
    return try body(timeline.logits)
  }

  /// The next token by this sampler; it is not appended.
  package func sample(_ sampler: Sampler) throws -> TokenID {
    let history = tokens
    return try withLogits { try sampler.next($0, position: history.count, history: history) }
  }

  /// Drops tokens behind `count`; returns how many are left, which may be fewer.
  package func rewind(to count: Int) throws -> Int {
    let timeline = try opened()
    guard (0...timeline.tokens.count).contains(count) else {
      throw GemmaError.invalidInput("cannot rewind to \(count): the context holds \(timeline.tokens.count) tokens")
    }
    guard count < timeline.tokens.count else { return count }
    logitsCount = nil
    return timeline.rewind(to: count)
  }

  package var isFull: Bool { tokens.count >= contextLength }
}
