/// All layers of an architecture, with the embedding in front and the output head behind: what the engine knows of it.
protocol LayerStack: Sendable {
  var layerCount: Int { get }

  /// `region` [rows, H] = the scaled embeddings of the pass's tokens.
  func embed(_ pass: Pass, into region: Workspace.Region)

  /// From the pass's tokens to what the first layer reads.
  func enter(_ pass: Pass)

  /// One layer, in place. A pass without rows is finished.
  func layer(_ index: Int, _ pass: inout Pass)

  /// From what the last layer left to the normalised hidden state in `.normed` [rows, H].
  func leave(_ pass: Pass)

  /// Logits of at most `Workspace.logitRows` rows of `.normed`, into the rows 0 ... of `.logits` [rows, V].
  /// Throws `CancellationError` for a stopped pass, whose numbers mean nothing, and `.degenerateOutput` for NaN.
  func logits(_ pass: Pass, _ rows: Range<Int>) throws
}
