import GemmaModels
import GemmaRuntime

extension Timeline {
  /// Logits of the last token; valid until the next call.
  func prediction() throws(GemmaError) -> UnsafeBufferPointer<Float> {
    guard !logits.isEmpty else {
      throw .invalidInput("there is no prediction yet; sync the context to some tokens first")
    }
    return logits
  }

  /// Chooses the next token; it is not appended.
  func sample(_ sampler: Sampler) throws(GemmaError) -> TokenID {
    try sampler.next(prediction(), position: tokens.count, history: tokens[...])
  }
}
