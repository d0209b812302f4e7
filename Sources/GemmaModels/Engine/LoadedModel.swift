package import GemmaRuntime
package import GemmaWeights

/// A model's weights as typed views into the mapped checkpoint; immutable and shared by all timelines.
package final class LoadedModel: Sendable {
  package let checkpoint: Checkpoint
  let outputHead: OutputHead
  let stack: any LayerStack
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
    outputHead = try OutputHead(loader)
    switch configuration.architecture {
    case .gemma3: stack = try Gemma3Stack(loader)
    case .gemma3n: stack = try Gemma3nStack(loader)
    case .gemma4: stack = try Gemma4Stack(loader)
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
