import GemmaModels
import GemmaWeights

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
      let (temperature, topK, topP) = recommended.sampling
      return Self.random(temperature: temperature, topK: topK, topP: topP, seed: seed).draw(recommended: recommended)
    }
  }
}

extension GenerationDefaults {
  /// What is recommended, or the defaults of `.random`; a top-k of 0 is none.
  fileprivate var sampling: (temperature: Float, topK: Int?, topP: Float) {
    (temperature ?? 1, topK == 0 ? nil : topK ?? 64, topP ?? 0.95)
  }
}

extension GemmaModel {
  /// The numbers behind `.recommended`.
  package var recommendedSampling: (temperature: Float, topK: Int?, topP: Float) {
    loaded.checkpoint.generation.sampling
  }
}
