/// An answer while it is generated.
///
/// The work starts at once. Dropping the stream, leaving its loop or cancelling the task that reads it stops the work
/// within a token.
public struct ResponseStream: AsyncSequence, Sendable {
  /// What happens while an answer is generated.
  public enum Element: Sendable, Hashable {
    /// The next piece of the answer: whole Unicode scalars, never empty.
    case text(String)
    /// The end: comes once, last.
    case finished(FinishReason, Statistics)
  }

  /// The answer up to now.
  public struct Snapshot: Sendable, Hashable {
    /// All text so far.
    public let text: String
  }

  let base: AsyncThrowingStream<Element, any Error>

  /// Reads the events one by one.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncThrowingStream<Element, any Error>.AsyncIterator

    /// The next event; nil after `finished`.
    public mutating func next() async throws -> Element? { try await base.next() }

    /// The next event; nil after `finished`.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      try await base.next(isolation: actor)
    }
  }

  /// Starts reading. One reader per stream.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator()) }

  /// The pieces of the answer, for pipes and terminals.
  public var deltas: some AsyncSequence<String, any Error> & Sendable {
    base.compactMap { element in
      if case .text(let text) = element { text } else { nil }
    }
  }

  /// The growing answer, for user interfaces that show a state.
  public var snapshots: some AsyncSequence<Snapshot, any Error> & Sendable {
    Snapshots(base: base)
  }
}

/// Sums up the text events.
private struct Snapshots: AsyncSequence, Sendable {
  typealias Element = ResponseStream.Snapshot
  let base: AsyncThrowingStream<ResponseStream.Element, any Error>

  struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncThrowingStream<ResponseStream.Element, any Error>.AsyncIterator
    var text = ""

    mutating func next() async throws -> ResponseStream.Snapshot? {
      while let event = try await base.next() {
        guard case .text(let piece) = event else { continue }
        text += piece
        return ResponseStream.Snapshot(text: text)
      }
      return nil
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator()) }
}
