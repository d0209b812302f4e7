import Synchronization

/// Lets in one caller at a time, in the order in which they came; waiting ends when the caller's task is cancelled.
package final class Gate: Sendable {
  private struct State {
    var isTaken = false
    var ticket = 0
    var waiting: [(ticket: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Callers that wait now.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Takes the gate if it is free, without any wait.
  package func enterIfFree() -> Bool {
    state.withLock { state in
      defer { state.isTaken = true }
      return !state.isTaken
    }
  }

  /// Takes the gate, or throws `CancellationError`.
  package func enter() async throws {
    let ticket = state.withLock { state in
      state.ticket += 1
      return state.ticket
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome: Result<Void, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          if !state.isTaken {
            state.isTaken = true
            return .success(())
          }
          state.waiting.append((ticket, continuation))
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let given = state.withLock { state in
        state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0).continuation }
      }
      given?.resume(throwing: CancellationError())
    }
  }

  /// Hands the gate to the first one who waits. Only for the one inside.
  package func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
      state.isTaken = false
      return nil
    }
    next?.resume()
  }
}
