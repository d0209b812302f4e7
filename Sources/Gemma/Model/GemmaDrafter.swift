public import Foundation
package import GemmaModels
package import GemmaRuntime
public import GemmaWeights

/// Makes the source of drafts of one timeline; runs on the compute thread.
package typealias MakeDraftSource = @Sendable (Timeline, ComputeOptions) throws(GemmaError) -> any DraftSource

/// What guesses ahead for a model, so that the model can check several tokens in one pass. Guesses change how fast an
/// answer comes, never the answer. Immutable, shared by any number of sessions of its model.
public final class GemmaDrafter: Sendable {
  enum Kind: Sendable {
    /// A multi-token-prediction model that was trained for its target.
    case mtp(LoadedDrafter)
    /// A smaller slice of the model itself.
    case slice(LoadedModel)
  }

  let kind: Kind

  /// Maps a drafter of Gemma 4: a folder with the config.json of a `gemma4_assistant` and its weights, unquantised or
  /// quantised by MLX. It must have been made for exactly this model, which is checked as far as the files tell.
  /// - Throws: ``GemmaError/unsuitableDrafter(_:reason:)`` naming what does not fit the model, other cases of
  ///   ``GemmaError`` for files that are missing or damaged, or `CancellationError` when the task was cancelled.
  public convenience init(at url: URL, for model: GemmaModel) async throws {
    try Task.checkCancellation()
    try self.init(url, model.loaded)
    try Task.checkCancellation()
  }

  init(_ folder: URL, _ model: LoadedModel) throws(GemmaError) {
    kind = .mtp(try LoadedDrafter(at: folder, for: model.configuration))
  }

  /// A smaller slice of a Gemma 3n model drafts for it, from the same mapped files and in the same caches: it costs the
  /// memory of one token's activations.
  /// - Throws: ``GemmaError/unsupportedSlice(name:layer:reason:)`` naming the layer that does not fit the model, or for
  ///   a slice that is no smaller than the model.
  public init(slicing model: GemmaModel, to slice: MatFormerSlice) throws(GemmaError) {
    let loaded = try model.sliced(to: slice).loaded
    let widths = [loaded, model.loaded].map { $0.configuration.layers.reduce(0) { $0 + $1.feedForwardWidth } }
    guard widths[0] < widths[1] else {
      let hint = model.loaded.slice.isFull ? "; half, for one, is" : ""
      throw slice.refused(nil, "it is no smaller than the model it is to draft for" + hint)
    }
    try SliceDrafter.checkFit(loaded, for: model.loaded)
    kind = .slice(loaded)
  }

  /// The multi-token-prediction model; nil for a slice.
  package var model: LoadedDrafter? {
    switch kind {
    case .mtp(let drafter): drafter
    case .slice: nil
    }
  }

  /// Bytes of weight files that are mapped for it alone: clean pages that the system can drop, not counted in `Memory`.
  public var mappedBytes: Int {
    switch kind {
    case .mtp(let drafter): drafter.mappedBytes
    case .slice: 0
    }
  }

  /// Bytes that each context of this many tokens takes from the pool for it, beside the model's own. A session takes
  /// them with its first prompt: see ``GemmaModel/plan(with:)``.
  public func workspaceBytes(contextLength: Int) -> Int {
    switch kind {
    case .mtp(let drafter): drafter.workspaceBytes(contextLength: contextLength)
    case .slice(let slice): SliceDrafter.workspaceBytes(slice, contextLength: contextLength)
    }
  }

  /// The source of drafts for one timeline, computed like it. Takes its memory at once.
  package func source(for timeline: Timeline, _ options: ComputeOptions) throws(GemmaError) -> any DraftSource {
    switch kind {
    case .mtp(let drafter): try MTPDrafter(drafter, contextLength: timeline.contextLength, options: options)
    case .slice(let slice): try SliceDrafter(slice, for: timeline)
    }
  }
}

extension GemmaDrafter {
  package var makeDrafts: MakeDraftSource {
    { timeline, options throws(GemmaError) in
      try self.source(for: timeline, options)
    }
  }
}
