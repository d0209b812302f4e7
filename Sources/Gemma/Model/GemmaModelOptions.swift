import GemmaKernels
package import GemmaModels
public import GemmaRuntime
public import GemmaTokenization
public import GemmaWeights

extension GemmaModel {
  /// How a model is run. The answer is the same for every value of `threads` and `prefillChunk`.
  public struct Options: Sendable, Hashable {
    /// Precision of activations in products with quantised weights.
    public enum Activations: String, Sendable, Hashable, CaseIterable {
      /// Quantised to 8 bits per group: fast.
      case int8
      /// Not quantised: slow, for comparison with references.
      case float32
    }

    /// How keys and values are kept.
    public enum KeyValueCache: String, Sendable, Hashable, CaseIterable {
      /// Rounded to bfloat16.
      case bf16
      /// 8 bits and one scale per position and head: about half the memory.
      case int8
    }

    /// Which part of a Gemma 3n model is run.
    public var slice: MatFormerSlice
    /// Tokens a context holds, at least 1; nil: what the model was made for, at most 4,096.
    public var contextLength: Int?
    /// Threads of a forward pass, at least 1; nil: the processors this process may use.
    public var threads: Int?
    /// Precision of activations.
    public var activations: Activations
    /// How keys and values are kept; nil: bf16, or float32 with float32 activations.
    public var keyValueCache: KeyValueCache?
    /// Uses the canonical kernels for unquantised weights too, so that bits do not depend on the BLAS library.
    /// Quantised weights always use them.
    public var reproducible: Bool
    /// Tokens of the prompt that go through the layers together, at least 1; nil: 256.
    public var prefillChunk: Int?
    /// Where the tables of a large vocabulary are kept for the next start.
    public var tokenizerCache: TokenizerCache

    /// Defaults for speed.
    public init(
      slice: MatFormerSlice = .full, contextLength: Int? = nil, threads: Int? = nil, activations: Activations = .int8,
      keyValueCache: KeyValueCache? = nil, reproducible: Bool = false, prefillChunk: Int? = nil,
      tokenizerCache: TokenizerCache = .standard
    ) {
      self.slice = slice
      self.contextLength = contextLength
      self.threads = threads
      self.activations = activations
      self.keyValueCache = keyValueCache
      self.reproducible = reproducible
      self.prefillChunk = prefillChunk
      self.tokenizerCache = tokenizerCache
    }

    /// The context length that applies without a wish.
    static let defaultContextLength = 4096

    /// Throws ``GemmaError/invalidOption(_:)`` for the first value outside its range.
    public func validate() throws(GemmaError) {
      if let contextLength, !(1...1 << 24).contains(contextLength) {
        throw .invalidOption("the context length must be between 1 and \(1 << 24) tokens, not \(contextLength)")
      }
      if let threads, !(1...1024).contains(threads) {
        throw .invalidOption("the number of threads must be between 1 and 1024, not \(threads)")
      }
      if let prefillChunk, !(1...65536).contains(prefillChunk) {
        throw .invalidOption("the prefill chunk must be between 1 and 65536 tokens, not \(prefillChunk)")
      }
    }

    package var compute: ComputeOptions {
      var options = ComputeOptions()
      if let threads { options.threads = threads }
      options.float32Activations = activations == .float32
      switch keyValueCache {
      case .bf16: options.keyValueCache = .bf16
      case .int8: options.keyValueCache = .int8
      case nil: options.keyValueCache = nil
      }
      options.reproducible = reproducible
      if let prefillChunk { options.prefillChunk = prefillChunk }
      return options
    }

    package func contextLength(for configuration: ModelConfiguration) -> Int {
      contextLength ?? min(max(configuration.maximumPositions, 1), Self.defaultContextLength)
    }
  }
}
