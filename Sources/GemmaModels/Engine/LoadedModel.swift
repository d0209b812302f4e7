package import GemmaRuntime
package import GemmaWeights

/// A model's weights as typed views into the mapped checkpoint; immutable and shared by all timelines.
package final class LoadedModel: Sendable {
  package let checkpoint: Checkpoint
  let head: Head
  let decoder: any Decoder
  let rotary: [RotaryTable]
  /// Of the slice, which is the checkpoint's own where nothing is cut.
  package let configuration: ModelConfiguration
  package let slice: MatFormerSlice

  /// Throws when a tensor is missing or misshapen; the message names it. A slice shares the checkpoint's mapping with
  /// whatever else was loaded from it.
  package init(_ checkpoint: Checkpoint, slice: MatFormerSlice = .full) throws(GemmaError) {
    configuration = try slice.apply(to: checkpoint.configuration)
    let (tables, indices) = RotaryTable.tables(configuration)
    let loader = ModelLoader(checkpoint: checkpoint, model: configuration, slice: slice, rotaryIndices: indices)
    self.checkpoint = checkpoint
    self.slice = slice
    rotary = tables
    head = try Head(loader)
    switch configuration.architecture {
    case .gemma3: decoder = try Gemma3Decoder(loader)
    case .gemma3n: decoder = try Gemma3nDecoder(loader)
    case .gemma4: decoder = try Gemma4Decoder(loader)
    }
    try checkpoint.checkGapless()
  }

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
