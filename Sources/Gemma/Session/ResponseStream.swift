import Synchronization

/// An answer while it is generated.
///
/// The work starts at once. Dropping the stream, leaving its loop or cancelling the task that reads it stops the work
/// within milliseconds.
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
  let whole: WholeResponse

  /// Waits for the end and returns the whole answer. It reads the stream: nothing else can do so beside it.
  public func collect() async throws -> Response<String> {
    for try await _ in base {}
    // A stream ends without any answer only when its reader was cancelled.
    guard let response = whole.value else { throw CancellationError() }
    return response
  }

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

/// The answer that a stream's events add up to, from the moment it is complete.
final class WholeResponse: Sendable {
  private let response = Mutex<Response<String>?>(nil)

  var value: Response<String>? {
    get { response.withLock { $0 } }
    set { response.withLock { $0 = newValue } }
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
