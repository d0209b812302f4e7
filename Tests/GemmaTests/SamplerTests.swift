import Gemma
import Testing

@Suite struct SamplerTests {
  static func frequencies(_ draw: (UInt64) -> Sampler.Draw, logits: [Float], runs: Int = 4000) throws -> [Double] {
    var counts = [Double](repeating: 0, count: logits.count)
    for run in 0..<runs {
      let sampler = Sampler(draw: draw(UInt64(run)))
      let token = try logits.withUnsafeBufferPointer { try sampler.next($0, position: 3, history: []) }
      counts[Int(token)] += 1 / Double(runs)
    }
    return counts
  }

  @Test("draws follow the probabilities at the temperature")
  func distribution() throws {
    // Probabilities 0.5, 0.25, 0.25 at temperature 1; 0.667, 0.167, 0.167 at 0.5.
    let logits: [Float] = [0, -0.693_147, -0.693_147]
    let plain = try Self.frequencies(
      { .init(temperature: 1, topK: nil, topP: nil, minP: nil, seed: $0) }, logits: logits)
    #expect(abs(plain[0] - 0.5) < 0.03 && abs(plain[2] - 0.25) < 0.03)
    let cool = try Self.frequencies(
      { .init(temperature: 0.5, topK: nil, topP: nil, minP: nil, seed: $0) }, logits: logits)
    #expect(abs(cool[0] - 2.0 / 3) < 0.03)
  }

  @Test("top-k, top-p and min-p cut off what lies outside")
  func filters() throws {
    let logits: [Float] = [0, -1, -2, -3]  // 0.644, 0.237, 0.087, 0.032
    let topK = try Self.frequencies({ .init(temperature: 1, topK: 2, topP: nil, minP: nil, seed: $0) }, logits: logits)
    #expect(topK[1] > 0.2 && topK[2] == 0 && topK[3] == 0)
    let topP = try Self.frequencies(
      { .init(temperature: 1, topK: nil, topP: 0.9, minP: nil, seed: $0) }, logits: logits)
    #expect(topP[2] > 0.05 && topP[3] == 0)
    let minP = try Self.frequencies(
      { .init(temperature: 1, topK: nil, topP: nil, minP: 0.2, seed: $0) }, logits: logits)
    #expect(minP[1] > 0.2 && minP[2] == 0)
  }

  @Test("flat predictions over a large vocabulary reach every part of it")
  func flat() throws {
    let logits = [Float](repeating: 1, count: 5000)
    var tokens: Set<TokenID> = []
    for seed in 0..<50 as Range<UInt64> {
      let sampler = Sampler(draw: .init(temperature: 1, topK: nil, topP: 0.95, minP: nil, seed: seed))
      tokens.insert(try logits.withUnsafeBufferPointer { try sampler.next($0, position: 0, history: []) })
    }
    #expect(tokens.contains { $0 > 3000 } && tokens.contains { $0 < 2000 } && tokens.count > 40)
  }

  @Test("unfiltered draws keep the probabilities behind the likeliest 256 tokens too")
  func behindTheLikeliest() throws {
    // Weights 2 and 1: the first 300 tokens have 2/3 of the mass, the first 256 have 0.569.
    let logits = [Float](repeating: 0.693_147, count: 300) + [Float](repeating: 0, count: 300)
    let counts = try Self.frequencies(
      { .init(temperature: 1, topK: nil, topP: nil, minP: nil, seed: $0) }, logits: logits)
    let heavy: Double = counts[..<300].reduce(0, +)
    let middle: Double = counts[300..<450].reduce(0, +)
    #expect(abs(heavy - 0.667) < 0.03)
    #expect(abs(middle - 0.167) < 0.03)
    let reached = counts.count { $0 > 0 }
    #expect(reached > 580)
  }

  @Test("predictions that differ a little choose the same token at the same position, so that drafts come true")
  func similarPredictions() throws {
    let logits: [Float] = [0, -0.1, -0.2, -0.3, -0.4, -0.5, -0.6, -0.7]
    // A different order, and probabilities that are 4 % apart in total variation.
    let other: [Float] = [-0.08, -0.02, -0.28, -0.22, -0.48, -0.42, -0.68, -0.62]
    for topK in [4, nil] as [Int?] {
      var same = 0
      for seed in 0..<2000 as Range<UInt64> {
        let sampler = Sampler(draw: .init(temperature: 1, topK: topK, topP: nil, minP: nil, seed: seed))
        let first = try logits.withUnsafeBufferPointer { try sampler.next($0, position: 9, history: []) }
        let second = try other.withUnsafeBufferPointer { try sampler.next($0, position: 9, history: []) }
        if first == second { same += 1 }
      }
      #expect(same > 1800)
    }
  }

  @Test("the repetition penalty turns the choice away from tokens that occurred")
  func penalty() throws {
    let logits: [Float] = [2, 1.5, -1]
    let sampler = Sampler(draw: nil, repetitionPenalty: 2)
    let free = try logits.withUnsafeBufferPointer { try sampler.next($0, position: 0, history: []) }
    let turned = try logits.withUnsafeBufferPointer { try sampler.next($0, position: 1, history: [0]) }
    #expect(free == 0 && turned == 1)
    // However often a token occurred, it counts once: 2 / 1.3 > 1.5, 2 / 1.3 / 1.3 < 1.5.
    let mild = Sampler(draw: nil, repetitionPenalty: 1.3)
    let repeated = try logits.withUnsafeBufferPointer { try mild.next($0, position: 3, history: [0, 0, 2]) }
    #expect(repeated == 0)
  }

  @Test("logits that are no numbers are an error, not a token")
  func notANumber() {
    let logits = [Float](repeating: .nan, count: 8)
    #expect(throws: GemmaError.self) {
      try logits.withUnsafeBufferPointer { try Sampler(draw: nil).next($0, position: 0, history: []) }
    }
  }
}
