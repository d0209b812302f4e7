import Synchronization

/// Tells the loops of a forward pass, from any thread and at any time, that nobody wants their result any more.
///
/// Loops look at it before each share of their work and skip what is left, so what a stopped pass has computed means
/// nothing. Once raised it stays raised: whoever finds it down at the end of a pass knows that nothing was skipped.
package final class StopSignal: Sendable {
  private let raised = Atomic(false)

  package init() {}

  package var isRaised: Bool { raised.load(ordering: .relaxed) }

  package func raise() { raised.store(true, ordering: .relaxed) }

  /// Throws `CancellationError` once the signal is raised.
  package func check() throws(CancellationError) {
    if isRaised { throw CancellationError() }
  }
}
