import GemmaModels
public import GemmaRuntime

/// Why an answer ended.
public enum FinishReason: String, Sendable, Hashable, Codable {
  /// The model ended its turn.
  case endOfTurn = "end_of_turn"
  /// One of the stop texts came up.
  case stopSequence = "stop_sequence"
  /// The answer has `maximumResponseTokens` tokens.
  case maximumTokens = "maximum_tokens"
  /// The context is full.
  case contextFull = "context_full"
}

/// A complete answer.
public struct Response<Content: Sendable>: Sendable {
  /// The answer.
  public let content: Content
  /// The answer's tokens, without the one that ended the turn.
  public let tokens: [TokenID]
  /// The tokens of the prompt as the model saw them.
  public let promptTokens: [TokenID]
  /// Why the answer ended.
  public let finishReason: FinishReason
  /// Counts and times.
  public let statistics: Statistics
}

/// Counts and times of one answer.
public struct Statistics: Sendable, Hashable {
  /// Tokens of the prompt.
  public var promptTokens = 0
  /// Those among them whose keys and values an earlier turn had left.
  public var cachedPromptTokens = 0
  /// Tokens of the answer, without the one that ended the turn.
  public var responseTokens = 0
  /// What drafting ahead brought.
  public var speculation = SpeculationStatistics()
  /// What loading the model took.
  public var loadTime: Duration = .zero
  /// From the request to the first token, waiting for other requests included.
  public var timeToFirstToken: Duration = .zero
  /// What the prompt's forward passes took.
  public var prefillTime: Duration = .zero
  /// From the first token to the last.
  public var decodeTime: Duration = .zero
  /// The highest use of the buffer pool so far, in bytes.
  public var peakPoolBytes = 0
  /// The size of the mapped weight files in bytes, a drafter's too.
  public var mappedBytes = 0
  /// Threads the forward pass used.
  public var threads = 0
  /// The kernel level in use.
  public var kernels = ""

  /// All counts and times zero.
  public init() {}

  /// What does not depend on a request, as it is now.
  package init(of model: GemmaModel, drafterMappedBytes: Int = 0) {
    loadTime = model.loadTime
    peakPoolBytes = Memory.peakMemory
    mappedBytes = model.info.mappedBytes + drafterMappedBytes
    threads = model.options.compute.threads
    kernels = Kernels.current
  }

  /// Speed of the prompt's forward passes; 0 when nothing had to be computed.
  public var prefillTokensPerSecond: Double {
    prefillTime > .zero ? Double(promptTokens - cachedPromptTokens) / prefillTime.seconds : 0
  }

  /// Speed after the first token; 0 for answers shorter than two tokens.
  public var decodeTokensPerSecond: Double {
    responseTokens > 1 && decodeTime > .zero ? Double(responseTokens - 1) / decodeTime.seconds : 0
  }
}

extension Duration {
  /// The same length as a floating-point number of seconds.
  package var seconds: Double { self / .seconds(1) }
}
