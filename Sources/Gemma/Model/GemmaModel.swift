public import Foundation
package import GemmaChat
import GemmaKernels
package import GemmaModels
public import GemmaRuntime
public import GemmaTokenization
public import GemmaWeights

/// A model: mapped weights and their vocabulary. Immutable, shared by any number of sessions.
public final class GemmaModel: Sendable {
  /// What loading has reached.
  public struct LoadingProgress: Sendable, Hashable {
    /// The steps of loading, in order.
    public enum Stage: String, Sendable, Hashable {
      /// The weight files are mapped and their headers checked.
      case mapping
      /// The tensors are matched with the architecture.
      case binding
      /// The vocabulary is read.
      case tokenizer
      /// All is done.
      case ready
    }
    /// The step that starts now.
    public let stage: Stage
    /// From 0 to 1.
    public let fractionCompleted: Double
  }

  /// The folder it was loaded from.
  public var url: URL { loaded.checkpoint.url }
  /// The options it was loaded with.
  public let options: Options
  /// What was found in the files.
  public let info: Info
  package let loaded: LoadedModel
  package let chatFormat: ChatFormat?
  package let loadTime: Duration
  private let tokenizerResult: Result<GemmaTokenizer, GemmaError>

  /// Maps the weights of a folder in the Hugging Face layout (`config.json`, safetensors, `tokenizer.json`).
  ///
  /// A folder without `tokenizer.json` loads too, and can be used through ``GemmaContext`` alone.
  ///
  /// - Parameters:
  ///   - url: The folder.
  ///   - options: Checked here.
  ///   - progress: Called at the start of each step.
  /// - Throws: ``GemmaError``, or `CancellationError` when the task was cancelled.
  public init(
    at url: URL, options: Options = Options(), progress: (@Sendable (LoadingProgress) -> Void)? = nil
  ) async throws {
    let start = ContinuousClock.now
    try options.validate()
    try SystemLimits.check()
    try ComputeThread.shared.start()
    progress?(LoadingProgress(stage: .mapping, fractionCompleted: 0))
    let checkpoint = try Checkpoint(at: url)
    try Task.checkCancellation()
    progress?(LoadingProgress(stage: .binding, fractionCompleted: 0.3))
    loaded = try LoadedModel(checkpoint, slice: options.slice)
    try Task.checkCancellation()
    progress?(LoadingProgress(stage: .tokenizer, fractionCompleted: 0.5))
    let hasTokenizer = FileManager.default.fileExists(atPath: url.appending(path: "tokenizer.json").path)
    if hasTokenizer {
      let tokenizer = try GemmaTokenizer(contentsOf: url, cache: options.tokenizerCache)
      tokenizerResult = .success(tokenizer)
      chatFormat = Self.chatFormat(of: checkpoint, tokenizer)
    } else {
      tokenizerResult = .failure(
        .fileAccess(
          url.appending(path: "tokenizer.json"),
          reason: "the file is missing; without it only token ids can go in and out"))
      chatFormat = nil
    }
    self.options = options
    info = Info(loaded, hasTokenizer: hasTokenizer)
    loadTime = ContinuousClock.now - start
    progress?(LoadingProgress(stage: .ready, fractionCompleted: 1))
  }

  /// The slice of `whole`, with everything but the layers shared.
  private init(_ slice: MatFormerSlice, of whole: GemmaModel) throws(GemmaError) {
    let start = ContinuousClock.now
    loaded = try LoadedModel(whole.loaded.checkpoint, slice: slice)
    tokenizerResult = whole.tokenizerResult
    chatFormat = whole.chatFormat
    var options = whole.options
    options.slice = slice
    self.options = options
    info = Info(loaded, hasTokenizer: whole.info.hasTokenizer)
    loadTime = ContinuousClock.now - start
  }

  /// Another size of the same model, for sessions of its own: both share the mapped files, so that two sizes cost the
  /// memory of one. The slice is one of the whole model in the files, whatever part of it this object is.
  /// - Throws: ``GemmaError/unsupportedSlice(name:layer:reason:)`` naming the layer that does not fit.
  public func sliced(to slice: MatFormerSlice) throws(GemmaError) -> GemmaModel {
    try GemmaModel(slice, of: self)
  }

  /// The vocabulary. Throws when the folder has none.
  public var tokenizer: GemmaTokenizer {
    get throws(GemmaError) { try tokenizerResult.get() }
  }

  /// Tokens a context of this model holds with these options.
  public var contextLength: Int { options.contextLength(for: loaded.configuration) }
}

extension GemmaModel {
  /// What was found in a model's files.
  public struct Info: Sendable, Hashable, Codable {
    /// The architecture: `gemma3`, `gemma3n` or `gemma4`.
    public let architecture: String
    /// The MatFormer slice that is run; `full` for the whole model.
    public let slice: String
    /// Pieces of the vocabulary.
    public let vocabularySize: Int
    /// Width of the residual stream.
    public let hiddenSize: Int
    /// Decoder layers, of the slice.
    public let layerCount: Int
    /// Positions the model was made for.
    public let maximumPositions: Int
    /// Size of the mapped weight files in bytes.
    public let mappedBytes: Int
    /// Tokens that end an answer.
    public let stopTokens: [TokenID]
    /// Whether the folder has a vocabulary.
    public let hasTokenizer: Bool

    init(_ model: LoadedModel, hasTokenizer: Bool) {
      let configuration = model.configuration
      architecture = configuration.architecture.rawValue
      slice = model.slice.name
      vocabularySize = configuration.vocabularySize
      hiddenSize = configuration.hiddenSize
      layerCount = configuration.layers.count
      maximumPositions = configuration.maximumPositions
      mappedBytes = model.checkpoint.mappedBytes
      stopTokens = model.checkpoint.generation.stopTokens.sorted()
      self.hasTokenizer = hasTokenizer
    }
  }
}
