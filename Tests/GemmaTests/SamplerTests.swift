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

  @Test("the repetition penalty turns the choice away from tokens that occurred")
  func penalty() throws {
    let logits: [Float] = [2, 1.5, -1]
    let sampler = Sampler(draw: nil, repetitionPenalty: 2)
    let free = try logits.withUnsafeBufferPointer { try sampler.next($0, position: 0, history: []) }
    let turned = try logits.withUnsafeBufferPointer { try sampler.next($0, position: 1, history: [0]) }
    #expect(free == 0 && turned == 1)
  }

  @Test("logits that are no numbers are an error, not a token")
  func notANumber() {
    let logits = [Float](repeating: .nan, count: 8)
    #expect(throws: GemmaError.self) {
      try logits.withUnsafeBufferPointer { try Sampler(draw: nil).next($0, position: 0, history: []) }
    }
  }
}
