import GemmaRuntime

/// A stack between the tied ends of a model, as all architectures have it so far.
protocol TiedStack: LayerStack {
  static var conventions: LayerConventions { get }

  var outputHead: OutputHead { get }

  /// Throws when a tensor is missing or misshapen; the message names it.
  init(_ loader: ModelLoader) throws(GemmaError)
}

extension TiedStack {
  func embed(_ pass: Pass, into region: Workspace.Region) { outputHead.embed(pass, into: region) }

  func logits(_ pass: Pass, _ rows: Range<Int>) throws { try outputHead.logits(pass, rows) }
}
