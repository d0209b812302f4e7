import Weights

extension GenerationOptions.Sampling {
  /// The numbers to draw with; nil is greedy.
  func draw(recommended: GenerationDefaults) -> Sampler.Draw? {
    switch self {
    case .greedy:
      return nil
    case .random(let temperature, let topK, let topP, let minP, let seed):
      guard temperature > 0 else { return nil }
      return Sampler.Draw(
        temperature: temperature, topK: topK, topP: topP, minP: minP, seed: seed ?? UInt64.random(in: 0 ... .max))
    case .recommended(let seed):
      let known = Self.random(
        temperature: recommended.temperature ?? 1, topK: recommended.topK == 0 ? nil : recommended.topK ?? 64, topP: recommended.topP ?? 0.95,
        seed: seed)
      return known.draw(recommended: recommended)
    }
  }
}
