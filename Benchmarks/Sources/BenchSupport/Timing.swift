/// The times of repetitions of the same work, in seconds.
package struct Times: Sendable {
  package private(set) var median: Double
  package private(set) var minimum: Double

  /// `seconds` holds at least one time.
  package init(_ seconds: [Double]) {
    let sorted = seconds.sorted()
    median = sorted.isEmpty ? .nan : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    minimum = sorted.first ?? .nan
  }
}

/// How long `work` takes, in seconds.
package func seconds(_ work: () throws -> Void) rethrows -> Double {
  let start = ContinuousClock.now
  try work()
  return (ContinuousClock.now - start) / .seconds(1)
}

/// How long asynchronous `work` takes, in seconds.
package func asyncSeconds(_ work: () async throws -> Void) async rethrows -> Double {
  let start = ContinuousClock.now
  try await work()
  return (ContinuousClock.now - start) / .seconds(1)
}
