import CKernels
import Tensors
import Weights

/// Per-layer embeddings: each layer gets P numbers per token, half from a table and half from the embedding.
struct PerLayerEmbeddings: Sendable {
  let table: WeightMatrix  // [per-layer vocabulary, L * P]
  let projection: WeightMatrix  // [L * P, H]
  let norm: RMSNorm  // over P, the same for all layers
  let width: Int  // P
  let hidden: Int  // H
  let layers: Int  // L
  let vocabulary: Int
  /// Layers that all rows pass; the others see only the rows whose logits are wanted.
  let commonLayers: Int

  /// Nil where the model has none.
  init?(_ loader: ModelLoader) throws(GemmaError) {
    let model = loader.model
    guard model.perLayerInputSize > 0 else { return nil }
    width = model.perLayerInputSize
    hidden = model.hiddenSize
    layers = model.layers.count
    vocabulary = model.perLayerVocabularySize
    commonLayers = (model.layers.lastIndex { $0.keyValueSource == nil } ?? 0) + 1
    table = try loader.matrix("embed_tokens_per_layer", vocabulary, layers * width)
    projection = try loader.matrix("per_layer_model_projection", layers * width, hidden)
    norm = try loader.norm("per_layer_projection_norm", width)
  }

  /// From the scaled embeddings in `.stream0` [rows, H] to `.perLayer` [rows, L * P]:
  /// (table[t] * sqrt(P) + norm(e · projection / sqrt(H))) / sqrt(2).
  func callAsFunction(_ pass: Pass) {
    compute(pass, 0..<commonLayers)
    var late = pass
    late.narrow()
    if commonLayers < layers && late.count > 0 { compute(late, commonLayers..<layers) }
  }

  private func compute(_ pass: Pass, _ range: Range<Int>) {
    let total = layers * width
    let columns = range.lowerBound * width..<range.upperBound * width
    let out = pass.rows(.perLayer, total)
    let projected = pass.rows(.gate, total)
    // In the order of the table, so that a page is read once and the disk goes one way; the rows come in meanwhile.
    let order = sortedRows(pass)
    table.adviseNeeded(rows: order.lazy.map { Int(tableRow(pass, $0)) }, columns: columns)
    pass.products.multiply(
      [Products.Term(projection, projected, range: columns)], by: pass.rows(.stream0, hidden), count: pass.count)
    let hiddenScale = 1 / Float(hidden).squareRoot()
    let tableScale = Float(width).squareRoot()
    let halfRoot = Float(0.5).squareRoot()
    pass.forEachRow { index in
      let row = order[index]
      var id = tableRow(pass, row)
      let sum = out.row(row) + columns.lowerBound
      let context = projected.row(row) + columns.lowerBound
      ck_gather_rows(sum, total, table.raw, &id, 1, columns.lowerBound, columns.upperBound, tableScale)
      ck_scale(context, context, hiddenScale, columns.count)
      norm(context, count: range.count)
      add(sum, context, columns.count)
      ck_scale(sum, sum, halfRoot, columns.count)
    }
  }

  /// The table's row for a token on its way; ids beyond the table use row 0.
  private func tableRow(_ pass: Pass, _ row: Int) -> TokenID {
    let token = pass.tokens[pass.first + row]
    return Int(token) < vocabulary ? token : 0
  }

  private func sortedRows(_ pass: Pass) -> [Int] {
    pass.count == 1 ? [0] : (0..<pass.count).sorted { tableRow(pass, $0) < tableRow(pass, $1) }
  }
}

/// One layer's use of its per-layer inputs: norm( (gelu(h · gate) * input) · projection ).
struct PerLayerInjection: Sendable {
  let gate: WeightMatrix  // [P, H]
  let projection: WeightMatrix  // [H, P]
  let norm: RMSNorm
  let index: Int
  let width: Int
  let layers: Int

  /// Nil where the model has none.
  init?(_ index: Int, _ loader: LayerLoader) throws(GemmaError) {
    let model = loader.model
    guard model.perLayerInputSize > 0 else { return nil }
    self.index = index
    width = model.perLayerInputSize
    layers = model.layers.count
    gate = try loader.matrix("per_layer_input_gate", width, model.hiddenSize)
    projection = try loader.matrix("per_layer_projection", model.hiddenSize, width)
    norm = try loader.norm("post_per_layer_input_norm", model.hiddenSize)
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
