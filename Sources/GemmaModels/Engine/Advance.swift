import GemmaRuntime

/// Tokens on their way into a timeline, from `Timeline.begin` over any number of calls of `Timeline.work`.
package struct Advance {
  /// Tokens whose logits are computed.
  package enum Wanted: Sendable { case last, every }

  /// Some of the tokens on their way through the layers.
  struct Chunk {
    var pass: Pass
    /// The next layer.
    var layer = 0
    /// Rows of `.logits` that hold the last tokens'.
    var logitRows = 0
  }

  let tokens: [TokenID]
  let wanted: Wanted
  let stop: StopSignal
  var chunk: Chunk?

  init(tokens: [TokenID], wanted: Wanted, stop: StopSignal) {
    self.tokens = tokens
    self.wanted = wanted
    self.stop = stop
  }

  /// Tokens that have become part of the timeline.
  package internal(set) var done = 0

  package var isDone: Bool { done == tokens.count }
}
