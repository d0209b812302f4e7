import Foundation
import GemmaKernels
import GemmaRuntime

/// The likeliest tokens in descending order, with weights relative to the first.
struct Candidates {
  let ids: UnsafeBufferPointer<TokenID>
  private let weights: UnsafeBufferPointer<Double>

  /// Of the scratch that so many candidates need.
  static func byteCount(_ count: Int) -> Int { count * (8 + 4 + 4) }

  /// At most `count` of `size` tokens. `scratch` is in use for as long as the candidates are.
  init(
    _ logits: UnsafePointer<Float>, _ size: Int, count: Int, best: Float, temperature: Double,
    scratch: UnsafeMutableRawPointer
  ) {
    let weights = scratch.bindMemory(to: Double.self, capacity: count)
    let ids = (scratch + 8 * count).bindMemory(to: TokenID.self, capacity: count)
    let values = (scratch + 12 * count).bindMemory(to: Float.self, capacity: count)
    let found = ck_top_k(ids, values, count, logits, size)
    for rank in 0..<found { weights[rank] = exp((Double(values[rank]) - Double(best)) / temperature) }
    self.ids = UnsafeBufferPointer(start: ids, count: found)
    self.weights = UnsafeBufferPointer(start: weights, count: found)
  }

  /// The drawn token; nil when more candidates have to be looked at.
  ///
  /// `whole` is the mass of the distribution before top-p; nil: that of these candidates (top-k). `passed` counts the
  /// candidates in front that earlier calls have turned down.
  func pick(
    _ random: CounterRandom, _ draw: Sampler.Draw, whole: Double?, passed: inout Int, isComplete: Bool
  ) -> TokenID? {
    let whole = isComplete ? weights.reduce(0, +) : whole ?? weights.reduce(0, +)
    var mass = 0.0
    var kept = 0
    var isCut = false
    let target = draw.topP.map { Double($0) * whole }
    for weight in weights {
      if kept > 0, weight < Double(draw.minP ?? 0) { isCut = true }
      if kept > 0, let target, mass >= target { isCut = true }
      if isCut { break }
      mass += weight
      kept += 1
    }
    if let target, mass >= target { isCut = true }
    guard isCut || isComplete else {
      // Unfiltered, the draw falls either into these candidates or behind them.
      guard (draw.topP ?? 1) >= 1, (draw.minP ?? 0) == 0 else { return nil }
      guard random.uniform() * whole < mass else {
        passed = kept
        return nil
      }
      return race(random, passed..<kept)
    }
    return race(random, min(passed, kept - 1)..<kept)
  }

  /// One of the candidates with a probability in proportion to its weight: the first to arrive, where each takes an
  /// exponentially distributed time of its own (the Gumbel-max trick). A candidate's time hangs on its id and not on
  /// what else is there, so that similar predictions mostly choose the same: that of a drafter and the model's.
  private func race(_ random: CounterRandom, _ range: Range<Int>) -> TokenID? {
    range.min { random.exponential(ids[$0]) / weights[$0] < random.exponential(ids[$1]) / weights[$1] }.map { ids[$0] }
  }
}
