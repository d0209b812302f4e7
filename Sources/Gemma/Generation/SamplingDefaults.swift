import GemmaChat
import GemmaModels
package import GemmaRuntime
import GemmaTokenization
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
      let known = Self.random(
        temperature: recommended.temperature ?? 1, topK: recommended.topK == 0 ? nil : recommended.topK ?? 64,
        topP: recommended.topP ?? 0.95,
        seed: seed)
      return known.draw(recommended: recommended)
    }
  }
}

extension GemmaModel {
  /// The numbers behind `.recommended`.
  package var recommendedSampling: (temperature: Float, topK: Int?, topP: Float) {
    let generation = loaded.checkpoint.generation
    let topK = generation.topK == 0 ? nil : generation.topK ?? 64
    return (generation.temperature ?? 1, topK, generation.topP ?? 0.95)
  }

  /// The tokens of one question with chat turns around it.
  package func render(instructions: String?, prompt: String) throws(GemmaError) -> [TokenID] {
    try render((instructions.map { [ChatTurn(role: .system, text: $0)] } ?? []) + [ChatTurn(role: .user, text: prompt)])
  }
}
