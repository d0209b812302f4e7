/// Calls `body` with a signal that is raised when the task is cancelled.
package nonisolated(nonsending) func withStopSignal<Result>(
  _ body: nonisolated(nonsending) (StopSignal) async throws -> Result
) async throws -> Result {
  let stop = StopSignal()
  return try await withTaskCancellationHandler {
    try await body(stop)
  } onCancel: {
    stop.raise()
  }
}
