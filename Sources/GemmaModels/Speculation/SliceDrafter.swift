package import GemmaRuntime
import GemmaWeights

/// Drafts with a smaller slice of the model itself (Gemma 3n): ordinary steps of decoding.
///
/// The slice reads the keys and values that the whole model computed, so that it needs no pass over the prompt, and
/// writes its own for the guesses behind them, where the pass that checks the guesses overwrites them.
package final class SliceDrafter: DraftSource {
  package let kind = DraftKind.slice
  private let whole: Timeline
  private let slice: Timeline

  /// A source for the timeline `whole`. Takes its memory at once: a workspace for one token.
  /// - Throws: as `checkFit`, and `.memoryLimitExceeded`.
  package init(_ slice: LoadedModel, for whole: Timeline) throws(GemmaError) {
    self.whole = whole
    var caches: [KeyValueCache?] = []
    for layer in try Self.owners(of: slice, in: whole.model) { caches.append(layer.flatMap { whole.caches[$0] }) }
    var options = whole.options
    options.prefillChunk = 1
    self.slice = Timeline(
      slice, contextLength: whole.contextLength, options: options,
      workspace: try Workspace(slice.layout, chunk: 1, contextLength: whole.contextLength), caches: caches)
  }

  /// Bytes that a source takes from the pool.
  package static func workspaceBytes(_ slice: LoadedModel, contextLength: Int) -> Int {
    slice.layout.byteCount(chunk: 1, contextLength: contextLength)
  }

  /// Throws `.unsupportedSlice` where the slice cannot draft for a model: it is one of other files, or has a layer with
  /// keys and values of its own that the model lacks.
  package static func checkFit(_ slice: LoadedModel, for model: LoadedModel) throws(GemmaError) {
    _ = try owners(of: slice, in: model)
  }

  /// For each layer of the slice the same layer of the model if it has keys and values of its own, else nil.
  private static func owners(of slice: LoadedModel, in model: LoadedModel) throws(GemmaError) -> [Int?] {
    guard slice.checkpoint === model.checkpoint else {
      throw slice.slice.refused(nil, "it was made of other files than the model it is to draft for")
    }
    let layers = model.configuration.layers
    var owners: [Int?] = []
    for layer in slice.configuration.layers {
      guard layer.keyValueSource == nil else {
        owners.append(nil)
        continue
      }
      guard let owner = layers.firstIndex(where: { $0.storedIndex == layer.storedIndex }) else {
        throw slice.slice.refused(
          layer.storedIndex, "its keys and values are needed, but the model it is to draft for skips it")
      }
      owners.append(owner)
    }
    return owners
  }

  package func draft(_ request: DraftRequest) throws -> [TokenID] {
    guard request.timeline === whole else { throw GemmaError.invalidInput("this source drafts for another timeline") }
    // Rings hold a window behind so many positions, and the context ends.
    let count = min(request.count, DraftedRound.longestDraft, whole.contextLength - whole.tokens.count)
    whole.noteWritten(below: whole.tokens.count + max(count, 0))
    // A copy into memory that is there: with a shared one each round would take memory for the whole text.
    slice.tokens.replaceSubrange(0..., with: whole.tokens)
    var drafts: [TokenID] = []
    while drafts.count < count {
      try slice.append([drafts.last ?? request.token], stop: request.stop)
      drafts.append(try request.choose(slice.logits, slice.tokens.count, slice.tokens[...]))
    }
    return drafts
  }
}
