/// All layers of an architecture, between token embedding and final norm.
protocol LayerStack: Sendable {
  var layerCount: Int { get }

  /// From the scaled embeddings in `.stream0` [rows, H] to what the first layer reads.
  func enter(_ pass: Pass)

  /// One layer, in place. A pass without rows is finished.
  func layer(_ index: Int, _ pass: inout Pass)

  /// From what the last layer left to the hidden state in `.stream0` [rows, H], not yet normalised.
  func leave(_ pass: Pass)
}
