import Foundation
import GemmaKernels
package import GemmaRuntime

/// Chooses the next token from logits.
///
/// Random numbers come from a counter, the token's position, so that equal seeds give equal text whatever was cached.
package struct Sampler: Sendable {
  /// Random sampling with all its numbers settled; nil is greedy.
  package struct Draw: Sendable, Hashable {
    package var temperature: Float
    package var topK: Int?
    package var topP: Float?
    package var minP: Float?
    package var seed: UInt64

    package init(temperature: Float, topK: Int?, topP: Float?, minP: Float?, seed: UInt64) {
      self.temperature = temperature
      self.topK = topK
      self.topP = topP
      self.minP = minP
      self.seed = seed
    }
  }

  private let draw: Draw?
  private let penalty: Float

  package init(draw: Draw?, repetitionPenalty: Float = 1) {
    self.draw = draw
    penalty = repetitionPenalty
  }

  /// The token for position `position`, which follows `history` (prompt included).
  package func next(_ logits: UnsafeBufferPointer<Float>, position: Int, history: ArraySlice<TokenID>)
    throws(GemmaError)
    -> TokenID
  {
    guard penalty != 1, !history.isEmpty else { return try choose(logits, position: position) }
    let copy = try PoolBuffer(byteCount: logits.count * MemoryLayout<Float>.stride)
    let values = UnsafeMutableBufferPointer(start: copy.floats, count: logits.count)
    _ = values.initialize(from: logits)
    for token in Set(history) where values.indices.contains(Int(token)) {
      let value = values[Int(token)]
      values[Int(token)] = value > 0 ? value / penalty : value * penalty
    }
    return try choose(UnsafeBufferPointer(values), position: position)
  }

  private func choose(_ logits: UnsafeBufferPointer<Float>, position: Int) throws(GemmaError) -> TokenID {
    guard let base = logits.baseAddress else { throw .degenerateOutput(reason: "there are no logits") }
    let best = ck_argmax(base, logits.count)
    guard best < logits.count, logits[best].isFinite else {
      throw .degenerateOutput(reason: "the logits are not numbers; the weights may be damaged")
    }
    guard let draw, draw.temperature > 0 else { return TokenID(best) }
    return try Self.draw(draw, from: logits, base: base, best: logits[best], position: position)
  }

  private static func draw(
    _ draw: Draw, from logits: UnsafeBufferPointer<Float>, base: UnsafePointer<Float>, best: Float, position: Int
  ) throws(GemmaError) -> TokenID {
    let temperature = Double(draw.temperature)
    let random = CounterRandom(seed: draw.seed, position: position)
    let wanted = min(draw.topK ?? logits.count, logits.count)
    // Without top-k nearly all of the mass still lies in few tokens: look at more of them only when it does not.
    var count = min(wanted, draw.topK == nil ? 256 : wanted)
    let whole = draw.topK == nil ? try mass(logits, best: best, temperature: draw.temperature) : nil
    var passed = 0
    while true {
      let candidates = Candidates(base, logits.count, count: count, best: best, temperature: temperature)
      if let token = candidates.pick(
        random, draw, whole: whole, passed: &passed, isComplete: candidates.ids.count < count || count == wanted)
      {
        return token
      }
      count = min(wanted, count * 8)
    }
  }

  /// Sum of exp((logit - best) / temperature) over the vocabulary.
  private static func mass(
    _ logits: UnsafeBufferPointer<Float>, best: Float, temperature: Float
  ) throws(GemmaError) -> Double {
    let scaled = try PoolBuffer(byteCount: logits.count * MemoryLayout<Float>.stride)
    for (index, logit) in logits.enumerated() { scaled.floats[index] = (logit - best) / temperature }
    return exp(Double(ck_log_sum_exp(scaled.floats, logits.count)))
  }
}

/// The likeliest tokens in descending order, with weights relative to the first.
private struct Candidates {
  let ids: [TokenID]
  let weights: [Double]

  init(_ logits: UnsafePointer<Float>, _ size: Int, count: Int, best: Float, temperature: Double) {
    var values: [Float] = []
    ids = [TokenID](unsafeUninitializedCapacity: count) { ids, idCount in
      values = [Float](unsafeUninitializedCapacity: count) { values, valueCount in
        guard let idBase = ids.baseAddress, let valueBase = values.baseAddress else { return }
        valueCount = ck_top_k(idBase, valueBase, count, logits, size)
      }
      idCount = values.count
    }
    weights = values.map { exp((Double($0) - Double(best)) / temperature) }
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

/// Random numbers without state: those of one position in the sequence of a seed.
struct CounterRandom {
  private let state: UInt64

  init(seed: UInt64, position: Int) {
    state = Self.mix(Self.mix(seed ^ 0xA076_1D64_78BD_642F) &+ UInt64(position) &* 0x9E37_79B9_7F4A_7C15)
  }

  /// The position's number in [0, 1), with 53 random bits.
  func uniform() -> Double { Double(state >> 11) * 0x1p-53 }

  /// The position's number for a token, distributed exponentially with mean 1; above 0.
  func exponential(_ token: TokenID) -> Double {
    let bits = Self.mix(state ^ Self.mix(UInt64(UInt32(bitPattern: token))))
    return -log((Double(bits >> 11) + 0.5) * 0x1p-53)
  }

  /// A bijection in which each bit of the input changes about half of the output's bits.
  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
