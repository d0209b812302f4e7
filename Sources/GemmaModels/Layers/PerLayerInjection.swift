import GemmaKernels
import GemmaRuntime
import GemmaWeights

/// One layer's use of its per-layer inputs: norm( (gelu(h · gate) * input) · projection ).
struct PerLayerInjection: Sendable {
  let gate: WeightMatrix  // [P, H]
  let projection: WeightMatrix  // [H, P]
  let norm: RMSNorm
  let index: Int
  let width: Int
  let layers: Int

  /// Nil where the model has none.
  init?(_ loader: LayerLoader) throws(GemmaError) {
    let model = loader.model
    guard model.perLayerInputSize > 0 else { return nil }
    index = loader.index
    width = model.perLayerInputSize
    layers = model.layers.count
    gate = try loader.matrix("per_layer_input_gate", width, model.hiddenSize)
    projection = try loader.matrix("per_layer_projection", model.hiddenSize, width)
    norm = try loader.norm("post_per_layer_input_norm", model.hiddenSize)
    reserve(&loader.shared.layout)
  }

  private func reserve(_ layout: inout Workspace.Layout) {
    layout.reserve(.perLayerGate, columns: width)
    layout.reserve(.mixed, columns: projection.rows)
  }

  /// From `input` [rows, H] to `.mixed` [rows, H], not yet normalised.
  func callAsFunction(_ pass: Pass, from input: Workspace.Region) {
    pass.multiply(gate, .perLayerGate, by: input)
    let gated = pass.rows(.perLayerGate, width)
    let inputs = pass.rows(.perLayer, layers * width)
    pass.forEachRow { row in
      ck_gelu_gate(gated.row(row), gated.row(row), inputs.row(row) + index * width, width)
    }
    pass.multiply(projection, .mixed, by: .perLayerGate)
  }
}
