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
    throws(GemmaError) -> TokenID
  {
    guard penalty != 1, !history.isEmpty else { return try choose(logits, position: position) }
    let copy = try PoolBuffer(byteCount: logits.count * MemoryLayout<Float>.stride)
    defer { withExtendedLifetime(copy) {} }
    let values = UnsafeMutableBufferPointer(start: copy.floats, count: logits.count)
    _ = values.initialize(from: logits)
    // From the logit as it was, so that a token that occurred twice is not punished twice.
    for token in history where values.indices.contains(Int(token)) {
      let logit = logits[Int(token)]
      values[Int(token)] = logit > 0 ? logit / penalty : logit * penalty
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
      let token = try withScratch(Candidates.byteCount(count)) { scratch in
        let candidates = Candidates(
          base, logits.count, count: count, best: best, temperature: temperature, scratch: scratch)
        return candidates.pick(
          random, draw, whole: whole, passed: &passed, isComplete: candidates.ids.count < count || count == wanted)
      }
      if let token { return token }
      count = min(wanted, count * 8)
    }
  }

  /// Sum of exp((logit - best) / temperature) over the vocabulary.
  private static func mass(
    _ logits: UnsafeBufferPointer<Float>, best: Float, temperature: Float
  ) throws(GemmaError) -> Double {
    let scaled = try PoolBuffer(byteCount: logits.count * MemoryLayout<Float>.stride)
    defer { withExtendedLifetime(scaled) {} }
    for (index, logit) in logits.enumerated() { scaled.floats[index] = (logit - best) / temperature }
    return exp(Double(ck_log_sum_exp(scaled.floats, logits.count)))
  }

  /// Scratch up to this size is not worth a buffer of the pool: the candidates of usual filters.
  private static let smallScratch = 64 << 10

  /// Lends `body` so many bytes, aligned for any number.
  private static func withScratch<Result>(
    _ byteCount: Int, _ body: (UnsafeMutableRawPointer) -> Result
  ) throws(GemmaError) -> Result {
    if byteCount <= smallScratch {
      let result = withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 16) { $0.baseAddress.map(body) }
      if let result { return result }
    }
    let buffer = try PoolBuffer(byteCount: byteCount)
    defer { withExtendedLifetime(buffer) {} }
    return body(buffer.base)
  }
}
