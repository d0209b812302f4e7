public import Foundation

/// Everything that can go wrong with a model, a prompt or an option.
///
/// Each message says what was expected, what was found and what to do. Cancellation is not among the cases: a
/// cancelled call throws `CancellationError`.
public enum GemmaError: Error, Sendable, Hashable {
  /// No model lies at this place.
  case modelNotFound(URL, reason: String)
  /// The architecture, the quantisation or a tensor's type is not one this package can run.
  case unsupportedModel(String)
  /// The model has no such MatFormer slice; `layer` is the layer of the whole model that does not fit, where one is to
  /// blame.
  case unsupportedSlice(name: String, layer: Int?, reason: String)
  /// A file is damaged or does not follow its format; for tensors the reason names the tensor.
  case malformedFile(URL, reason: String)
  /// The drafter was made for another model; the reason names what differs.
  case unsuitableDrafter(URL, reason: String)
  /// The prompt and the wanted answer do not fit into the context.
  case contextLengthExceeded(limit: Int, requested: Int)
  /// The allocation would pass `Memory.memoryLimit`. Both numbers are bytes.
  case memoryLimitExceeded(limit: Int, required: Int)
  /// An option lies outside its range.
  case invalidOption(String)
  /// A prompt or a list of token ids cannot be used.
  case invalidInput(String)
  /// The logits hold NaN: the weights are damaged or not of this architecture.
  case degenerateOutput(reason: String)
  /// A source of drafts was given up where it was to be checked; an answer goes on without it.
  case draftingFailed(reason: String)
  /// The session is still answering an earlier prompt.
  case sessionBusy
  /// Reading or writing failed in the operating system.
  case fileAccess(URL, reason: String)
  /// The system allows this process too little address space, too few threads or too few open files to work at all.
  case systemLimit(String)
}

extension GemmaError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .modelNotFound(let url, let reason): "No model at \(url.path): \(reason)"
    case .unsupportedModel(let reason): "This model is not supported: \(reason)"
    case .unsupportedSlice(let name, let layer, let reason):
      "The slice \"\(name)\" is not possible: \(layer.map { "layer \($0): " } ?? "")\(reason)"
    case .malformedFile(let url, let reason): "\(url.path) is malformed: \(reason)"
    case .unsuitableDrafter(let url, let reason): "The drafter at \(url.path) does not fit the model: \(reason)"
    case .contextLengthExceeded(let limit, let requested):
      "\(requested) tokens were asked for, but the context holds \(limit). Shorten the prompt or raise the context length."
    case .memoryLimitExceeded(let limit, let required):
      "\(required) bytes are needed, but the memory limit is \(limit). Raise the limit or lower the context length."
    case .invalidOption(let reason): "Invalid option: \(reason)"
    case .invalidInput(let reason): "Invalid input: \(reason)"
    case .degenerateOutput(let reason): "The model produced no usable output: \(reason)"
    case .draftingFailed(let reason): "Drafting failed: \(reason)"
    case .sessionBusy: "The session is still answering. Wait for that answer, or use a second session."
    case .fileAccess(let url, let reason): "Cannot access \(url.path): \(reason)"
    case .systemLimit(let reason): "The system's limits are too low: \(reason)"
    }
  }
}

/// A token's index in the vocabulary.
public typealias TokenID = Int32
