public import Foundation
package import Models
package import Tensors

/// What guesses ahead for a model, so that the model can check several tokens in one pass. Guesses change how fast an
/// answer comes, never the answer. Immutable, shared by any number of sessions of its model.
public final class GemmaDrafter: Sendable {
  enum Kind: Sendable {
    /// A multi-token-prediction model that was trained for its target.
    case mtp(LoadedDrafter)
  }

  let kind: Kind

  /// Maps a drafter of Gemma 4: a folder with the config.json of a `gemma4_assistant` and its weights, unquantised or
  /// quantised by MLX. It must have been made for exactly this model, which is checked as far as the files tell.
  /// - Throws: ``GemmaError/unsuitableDrafter(_:reason:)`` naming what does not fit the model, other cases of
  ///   ``GemmaError`` for files that are missing or damaged, or `CancellationError` when the task was cancelled.
  public init(at url: URL, for model: GemmaModel) async throws {
    try Task.checkCancellation()
    kind = .mtp(try LoadedDrafter(at: url, for: model.loaded.configuration))
    try Task.checkCancellation()
  }

  /// Bytes of its mapped weight files: clean pages that the system can drop, not counted in `Memory`.
  public var mappedBytes: Int {
    switch kind {
    case .mtp(let drafter): drafter.mappedBytes
    }
  }

  /// Bytes that each context of this many tokens takes from the pool for it, beside the model's own.
  public func workspaceBytes(contextLength: Int) -> Int {
    switch kind {
    case .mtp(let drafter): drafter.workspaceBytes(contextLength: contextLength)
    }
  }

  /// The source of drafts for one timeline, computed like it. Takes its memory at once.
  package func source(for timeline: Timeline, _ options: ComputeOptions) throws(GemmaError) -> any DraftSource {
    switch kind {
    case .mtp(let drafter): try MTPDrafter(drafter, contextLength: timeline.contextLength, options: options)
    }
  }
}
