import BenchSupport
import Foundation
import Gemma

/// A few tokens decoded in a row, between two measurements of the memory.
struct DecodeRound {
  /// Per token: seconds, and bytes of weights, of keys and values that were read.
  var seconds: Double
  var weightBytes: Double
  var cacheBytes: Double
  /// Bytes per second that the machine could read, sustained: the mean of just before and just after.
  var readBandwidth: Bandwidth

  /// Of new memory, mapped or anonymous, and of the pages that the weights happen to have.
  struct Bandwidth {
    var new: Double
    var weights: Double
  }

  var bytesPerSecond: Double { (weightBytes + cacheBytes) / seconds }
  var shareOfRead: Double { bytesPerSecond / readBandwidth.new }
  var shareOfWeightsRead: Double { bytesPerSecond / readBandwidth.weights }
}

/// Decodes in rounds, with a measurement of the read bandwidth before the first and after each: A B A B A.
struct Alternation {
  /// 256 MB of each kind, as kernel-bench reads them.
  private let regions: (mapped: Region, anonymous: Region, weights: Region)
  /// What the regions take of the resident memory, which is not the model's.
  let ownMemory: Resident?
  let threads: Int

  init(_ folder: URL, threads: Int) throws {
    let before = Resident()
    regions = (
      try Region(bytes: 256 << 20, mapped: true), try Region(bytes: 256 << 20, mapped: false),
      try Region(weightsOf: folder)
    )
    self.threads = threads
    // Touches what will be read of the weights, so that it counts as the benchmark's own.
    _ = ReadBandwidth.read(regions.weights, threads, 1)
    ownMemory = before.flatMap { before in Resident().map { $0 - before } }
  }

  func decode(_ context: GemmaContext, tokens: Int, rounds: Int) async throws -> [DecodeRound] {
    var results: [DecodeRound] = []
    var bandwidth = measure()
    for _ in 0..<rounds {
      let before = await context.bytesRead
      let time = try await asyncSeconds { for _ in 0..<tokens { _ = try await context.next() } }
      let after = await context.bytesRead
      let next = measure()
      results.append(
        DecodeRound(
          seconds: time / Double(tokens), weightBytes: Double(after.weights - before.weights) / Double(tokens),
          cacheBytes: Double(after.keysAndValues - before.keysAndValues) / Double(tokens),
          readBandwidth: DecodeRound.Bandwidth(
            new: (bandwidth.new + next.new) / 2, weights: (bandwidth.weights + next.weights) / 2)))
      bandwidth = next
    }
    return results
  }

  private func measure() -> DecodeRound.Bandwidth {
    DecodeRound.Bandwidth(
      new: ReadBandwidth.measure(
        mapped: regions.mapped, anonymous: regions.anonymous, threads: threads, repetitions: 4
      ).sustained,
      weights: ReadBandwidth.read(regions.weights, threads, 4).sustained)
  }
}
