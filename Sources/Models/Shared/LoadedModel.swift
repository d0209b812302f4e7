package import Tensors
package import Weights

/// A model's weights as typed views into the mapped checkpoint; immutable and shared by all timelines.
package final class LoadedModel: Sendable {
  package let checkpoint: Checkpoint
  let head: Head
  let decoder: any Decoder
  let rotary: [RotaryTable]

  /// Throws when a tensor is missing or misshapen; the message names it.
  package init(_ checkpoint: Checkpoint) throws(GemmaError) {
    let (tables, indices) = RotaryTable.tables(checkpoint.configuration)
    let loader = ModelLoader(checkpoint: checkpoint, rotaryIndices: indices)
    self.checkpoint = checkpoint
    rotary = tables
    head = try Head(loader)
    switch checkpoint.configuration.architecture {
    case .gemma3: decoder = try Gemma3Decoder(loader)
    case .gemma3n: decoder = try Gemma3nDecoder(loader)
    case .gemma4: decoder = try Gemma4Decoder(loader)
    }
    try checkpoint.checkGapless()
  }

  package var configuration: ModelConfiguration { checkpoint.configuration }

  /// The bytes that `Timeline(_:contextLength:options:)` takes from the pool: its own sums, by the same functions.
  package func plan(contextLength: Int, options: ComputeOptions) -> ContextPlan {
    let shape = CacheShape(configuration, contextLength: max(contextLength, 1), options: options)
    let caches = configuration.layers.filter { $0.keyValueSource == nil }
    return ContextPlan(
      keyValueBytes: caches.reduce(0) { $0 + BufferPool.rounded(shape.byteCount($1)) },
      workspaceBytes: Workspace.byteCount(
        configuration, chunk: shape.chunk, contextLength: shape.contextLength))
  }
}
