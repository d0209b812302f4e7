package import GemmaRuntime
package import GemmaWeights

extension Architecture {
  /// The one place that says which layers an architecture is made of.
  private var stack: any TiedStack.Type {
    switch self {
    case .gemma3: Gemma3Stack.self
    case .gemma3n: Gemma3nStack.self
    case .gemma4: Gemma4Stack.self
    }
  }

  fileprivate var conventions: LayerConventions { stack.conventions }

  fileprivate func load(_ loader: ModelLoader) throws(GemmaError) -> any TiedStack { try stack.init(loader) }
}

extension LoadedModel {
  /// Throws when a tensor is missing or misshapen; the message names it. A slice shares the checkpoint's mapping with
  /// whatever else was loaded from it.
  package convenience init(_ checkpoint: Checkpoint, slice: MatFormerSlice = .full) throws(GemmaError) {
    let configuration = try slice.apply(to: checkpoint.configuration)
    let architecture = configuration.architecture
    let loader = ModelLoader(checkpoint, configuration, slice: slice, conventions: architecture.conventions)
    let stack = try architecture.load(loader)
    self.init(
      checkpoint, configuration, slice, stack, loader.layout, isQuantized: stack.outputHead.embedding.isQuantized)
    try checkpoint.checkGapless()
  }
}
