import GemmaRuntime
package import GemmaWeights

/// A model's weights as typed views into the mapped checkpoint; immutable and shared by all timelines.
package final class LoadedModel: Sendable {
  package let checkpoint: Checkpoint
  /// Of the slice, which is the checkpoint's own where nothing is cut.
  package let configuration: ModelConfiguration
  package let slice: MatFormerSlice
  let stack: any LayerStack
  /// What the layers reserved of a workspace.
  let layout: Workspace.Layout
  /// The embedding is quantised, and with it what makes up a model. Then its answers are the same bits for any chunk.
  let isQuantized: Bool

  init(
    _ checkpoint: Checkpoint, _ configuration: ModelConfiguration, _ slice: MatFormerSlice, _ stack: any LayerStack,
    _ layout: Workspace.Layout, isQuantized: Bool
  ) {
    self.checkpoint = checkpoint
    self.configuration = configuration
    self.slice = slice
    self.stack = stack
    self.layout = layout
    self.isQuantized = isQuantized
  }

  /// The bytes that `Timeline(_:contextLength:options:)` takes from the buffer pool: its own sums, by the same functions.
  package func plan(contextLength: Int, options: ComputeOptions) -> ContextPlan {
    let shape = CacheShape(configuration, contextLength: max(contextLength, 1), options: options)
    let caches = configuration.layers.filter { $0.keyValueSource == nil }
    return ContextPlan(
      keyValueBytes: caches.reduce(0) { $0 + BufferPool.rounded(shape.byteCount($1)) },
      workspaceBytes: layout.byteCount(chunk: shape.chunk, contextLength: shape.contextLength))
  }
}

/// The bytes that one timeline takes from the buffer pool, whole pages included.
package struct ContextPlan: Sendable, Hashable {
  /// Key/value caches of all owning layers.
  package var keyValueBytes: Int
  /// Activations of one chunk.
  package var workspaceBytes: Int
}
