package import GemmaRuntime

/// Tokens on their way into a timeline, over any number of calls of `Timeline.append`. Until all are appended, or a call
/// has thrown, nothing else may be done with the timeline.
package struct PendingTokens {
  /// Tokens whose logits are computed.
  package enum Wanted: Sendable { case last, every }

  let tokens: [TokenID]
  let wanted: Wanted
  let stop: StopSignal
  var chunk: Chunk?
  /// Tokens that have become part of the timeline.
  package internal(set) var done = 0

  /// `wanted` says whose logits are computed. Whoever raises the signal stops them.
  package init(_ tokens: [TokenID], wanted: Wanted = .last, stop: StopSignal = StopSignal()) {
    self.tokens = tokens
    self.wanted = wanted
    self.stop = stop
  }

  package var isDone: Bool { done == tokens.count }

  /// No call has worked on them yet.
  var isUntouched: Bool { done == 0 && chunk == nil }
}
