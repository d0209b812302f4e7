import GemmaKernels
import GemmaRuntime
import GemmaWeights

/// Per-layer embeddings: each layer gets P numbers per token, half from a table and half from the embedding.
struct PerLayerEmbeddings: Sendable {
  /// Layers that lie side by side in the files too: all of them, unless a slice skips some.
  struct Neighbours {
    var layers: Range<Int>
    var storedFirst: Int
  }

  let table: WeightMatrix  // [per-layer vocabulary, stored layers * P]
  let projection: WeightMatrix  // [stored layers * P, H]
  let neighbours: [Neighbours]
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
    let storedWidth = loader.stored.layers.count * width
    table = try loader.table("embed_tokens_per_layer", vocabulary, storedWidth)
    projection = try loader.matrix("per_layer_model_projection", storedWidth, hidden)
    neighbours = Self.neighbours(model.layers.map(\.storedIndex))
    norm = try loader.norm("per_layer_projection_norm", width)
    reserve(&loader.layout)
  }

  /// The projection takes the gate's region, before the first layer needs it.
  private func reserve(_ layout: inout Workspace.Layout) {
    layout.reserve(.perLayer, .gate, columns: layers * width)
  }

  /// From the scaled embeddings in `.stream0` [rows, H] to `.perLayer` [rows, L * P]:
  /// (table[t] * sqrt(P) + norm(e · projection / sqrt(H))) / sqrt(2).
  func callAsFunction(_ pass: Pass) {
    var late = pass
    late.narrow()
    if late.count == pass.count { return compute(pass, 0..<layers) }
    compute(pass, 0..<commonLayers)
    if commonLayers < layers && late.count > 0 { compute(late, commonLayers..<layers) }
  }

  private static func neighbours(_ stored: [Int]) -> [Neighbours] {
    var found: [Neighbours] = []
    for (layer, index) in stored.enumerated() {
      if let last = found.last, last.storedFirst + last.layers.count == index {
        found[found.count - 1].layers = last.layers.lowerBound..<layer + 1
      } else {
        found.append(Neighbours(layers: layer..<layer + 1, storedFirst: index))
      }
    }
    return found
  }

  private func compute(_ pass: Pass, _ range: Range<Int>) {
    for some in neighbours {
      let layers = some.layers.clamped(to: range)
      if !layers.isEmpty {
        compute(pass, layers, stored: some.storedFirst + layers.lowerBound - some.layers.lowerBound)
      }
    }
  }

  /// The layers `range`, whose first one is called `stored` in the files.
  private func compute(_ pass: Pass, _ range: Range<Int>, stored: Int) {
    let total = layers * width
    let first = range.lowerBound * width
    let columns = stored * width..<(stored + range.count) * width
    let out = pass.rows(.perLayer, total)
    let projected = pass.rows(.gate, total)
    let part = projection.part(rows: columns, columns: hidden)
    // In the order of the table, so that a page is read once and the disk goes one way; the rows come in meanwhile.
    let order = sortedRows(pass)
    table.adviseNeeded(rows: order.lazy.map { Int(tableRow(pass, $0)) }, columns: columns)
    pass.products.multiply(
      Products.Term(part, Rows(base: projected.base + first, stride: total)), by: pass.rows(.stream0, hidden),
      count: pass.count)
    pass.products.traffic.read(rows: pass.count, of: table.raw, columns: columns.count)
    let hiddenScale = 1 / Float(hidden).squareRoot()
    let tableScale = Float(width).squareRoot()
    let halfRoot = Float(0.5).squareRoot()
    pass.forEachRow { index in
      let row = order[index]
      var id = tableRow(pass, row)
      let sum = out.row(row) + first
      let context = projected.row(row) + first
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
