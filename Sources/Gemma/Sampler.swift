import CKernels
import Foundation
package import Tensors

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
    let uniform = CounterRandom.uniform(seed: draw.seed, counter: UInt64(position))
    let wanted = min(draw.topK ?? logits.count, logits.count)
    // Without top-k nearly all of the mass still lies in few tokens: look at more of them only when it does not.
    var count = min(wanted, draw.topK == nil ? 256 : wanted)
    let whole = draw.topK == nil ? try mass(logits, best: best, temperature: draw.temperature) : nil
    while true {
      let candidates = Candidates(base, logits.count, count: count, best: best, temperature: temperature)
      if let token = candidates.pick(
        uniform, draw, whole: whole, isComplete: candidates.ids.count < count || count == wanted)
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
  /// `whole` is the mass of the distribution before top-p; nil: that of these candidates (top-k).
  func pick(_ uniform: Double, _ draw: Sampler.Draw, whole: Double?, isComplete: Bool) -> TokenID? {
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
    // Unfiltered, the draw may still fall into these candidates.
    let limit = uniform * (isCut || isComplete ? mass : whole)
    guard isCut || isComplete || (draw.topP ?? 1) >= 1 && (draw.minP ?? 0) == 0 else { return nil }
    var sum = 0.0
    for index in 0..<kept {
      sum += weights[index]
      if sum > limit { return ids[index] }
    }
    return isCut || isComplete ? ids.prefix(kept).last : nil
  }
}

/// Random numbers without state: the n-th number of a seed's sequence, each from two rounds of 64-bit mixing.
enum CounterRandom {
  /// A number in [0, 1) with 53 random bits.
  static func uniform(seed: UInt64, counter: UInt64) -> Double {
    let bits = mix(mix(seed ^ 0xA076_1D64_78BD_642F) &+ counter &* 0x9E37_79B9_7F4A_7C15)
    return Double(bits >> 11) * 0x1p-53
  }

  /// A bijection in which each bit of the input changes about half of the output's bits.
  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
