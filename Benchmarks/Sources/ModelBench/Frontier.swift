import BenchSupport
import Gemma

/// What was measured at one depth.
struct Frontier {
  var depth: Int
  /// Tokens of the last stretch: from the frontier before to this one.
  var stretch: Int
  /// Seconds that the stretch took to prefill.
  var prefill: Times
  /// What was generated at this depth.
  var decode: [DecodeRound]
  /// Seconds from nothing to the first token: the medians of all stretches up to here, and one choice of a token.
  var firstToken: Double
  var poolBytes: Int
  var resident: Resident?
}

/// Goes from frontier to frontier on one timeline per repetition.
struct Walk {
  var model: GemmaModel
  var depths: [Int]
  /// Tokens of a round of decoding, and rounds at each frontier.
  var roundTokens: Int
  var rounds: Int
  var repetitions: Int
  var alternation: Alternation

  /// One repetition's times at one frontier.
  private struct Sample {
    var prefill: Double
    var choice: Double
    var decode: [DecodeRound]
  }

  func measure() async throws -> [Frontier] {
    let prompt = Self.prompt(depths[depths.count - 1], vocabulary: model.info.vocabularySize)
    try await warmUp(prompt)
    var samples = depths.map { _ in [Sample]() }
    var pools = depths.map { _ in 0 }
    var residents = [Resident?](repeating: nil, count: depths.count)
    for repetition in 1...repetitions {
      let context = GemmaContext(model)
      Memory.resetPeakMemory()
      var before = 0
      for (index, depth) in depths.enumerated() {
        Output.note("depth \(depth), run \(repetition) of \(repetitions)")
        // What the decoding behind the last frontier left is dropped; rings may need their window again.
        if before > 0 { try await context.sync(to: Array(prompt[..<before])) }
        let prefill = try await asyncSeconds { try await context.sync(to: Array(prompt[..<depth])) }
        let choice = try await asyncSeconds { _ = try await context.logits() }
        let decode = try await alternation.decode(context, tokens: roundTokens, rounds: rounds)
        samples[index].append(Sample(prefill: prefill, choice: choice, decode: decode))
        pools[index] = max(pools[index], Memory.peakMemory)
        residents[index] = Resident().map { resident in alternation.ownMemory.map { resident - $0 } ?? resident }
        before = depth
      }
    }
    var total = 0.0
    return depths.indices.map { index in
      let prefill = Times(samples[index].map(\.prefill))
      total += prefill.median
      return Frontier(
        depth: depths[index], stretch: depths[index] - (index > 0 ? depths[index - 1] : 0), prefill: prefill,
        decode: samples[index].flatMap(\.decode), firstToken: total + Times(samples[index].map(\.choice)).median,
        poolBytes: pools[index], resident: residents[index])
    }
  }

  /// Touches the mapped weights once.
  private func warmUp(_ prompt: [TokenID]) async throws {
    let context = GemmaContext(model)
    try await context.sync(to: Array(prompt.prefix(16)))
    _ = try await context.next()
  }

  /// Pseudo-random ids, the same in every run; the first is 2, the beginning of a text.
  private static func prompt(_ count: Int, vocabulary: Int) -> [TokenID] {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    return (0..<count).map { index in
      guard index > 0 else { return TokenID(min(2, vocabulary - 1)) }
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return TokenID(truncatingIfNeeded: (state >> 33) % UInt64(vocabulary))
    }
  }
}
