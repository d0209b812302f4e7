import GemmaKernels
import GemmaRuntime
import GemmaWeights

/// Grouped-query attention of one layer, over its own cache or over that of an earlier layer of its kind.
struct Attention: Sendable {
  /// What a layer has that writes keys and values itself.
  struct Owned: Sendable {
    let key: WeightMatrix  // [key heads * D, H]
    let value: WeightMatrix?  // nil: values are the raw keys
    let keyNorm: RMSNorm
    let valueNorm: RMSNorm?

    init(_ loader: LayerLoader) throws(GemmaError) {
      let (model, layer) = (loader.model, loader.model.layers[loader.index])
      let (width, dimension) = (layer.keyValueHeads * layer.headDimension, layer.headDimension)
      key = try loader.matrix("self_attn.k_proj", width, model.hiddenSize)
      value = layer.valuesFromKeys ? nil : try loader.matrix("self_attn.v_proj", width, model.hiddenSize)
      keyNorm = try loader.norm("self_attn.k_norm", dimension)
      valueNorm =
        loader.conventions.normalizesValues
        ? RMSNorm(weight: nil, width: dimension, epsilon: model.rmsNormEpsilon) : nil
    }
  }

  let query: WeightMatrix  // [heads * D, H]
  let output: WeightMatrix  // [H, heads * D]
  let queryNorm: RMSNorm
  let owned: Owned?
  let layer: LayerConfiguration
  /// The layer whose cache is read.
  let source: Int
  let heads: Int
  let scale: Float
  let window: Int
  let rotary: RotaryTable
  /// No later layer writes keys and values.
  let isLastOwner: Bool

  init(_ loader: LayerLoader) throws(GemmaError) {
    let (model, index) = (loader.model, loader.index)
    layer = model.layers[index]
    heads = model.headCount
    guard layer.headDimension % 16 == 0, layer.headDimension > 0, layer.headDimension <= 512,
      layer.keyValueHeads > 0, heads % layer.keyValueHeads == 0
    else {
      throw .unsupportedModel(
        "layer \(index) has \(heads) heads of \(layer.headDimension) over \(layer.keyValueHeads) key heads; head sizes "
          + "must be multiples of 16 up to 512, and the heads must divide evenly")
    }
    let dimension = layer.headDimension
    query = try loader.matrix("self_attn.q_proj", heads * dimension, model.hiddenSize)
    output = try loader.matrix("self_attn.o_proj", model.hiddenSize, heads * dimension)
    queryNorm = try loader.norm("self_attn.q_norm", dimension)
    source = layer.keyValueSource ?? index
    scale = model.attentionScale
    window = layer.kind == .sliding ? model.slidingWindow : 0
    rotary = loader.shared.rotary.of(layer: index)
    isLastOwner = index == model.layers.lastIndex { $0.keyValueSource == nil }
    owned = layer.keyValueSource == nil ? try Owned(loader) : nil
    reserve(&loader.shared.layout)
  }

  private func reserve(_ layout: inout Workspace.Layout) {
    layout.reserve(.query, .attended, columns: heads * layer.headDimension)
    if owned != nil { layout.reserve(.key, .value, columns: layer.keyValueHeads * layer.headDimension) }
    layout.reserve(.mixed, columns: output.rows)
    SplitAttention.reserve(&layout, heads: heads, dimension: layer.headDimension)
  }

  /// Attends from the normalised rows in `.normed` [rows, H] and leaves the result in `.mixed` [rows, H].
  /// `alongside` is a product with the same input that another part of the layer wants. Rows that nobody needs any
  /// more leave the pass here.
  func callAsFunction(_ pass: inout Pass, alongside: (weights: WeightMatrix, out: Workspace.Region)? = nil) {
    var terms: [Products.Term] = []
    terms.reserveCapacity(4)
    if let owned {
      terms.append(pass.term(owned.key, .key))
      if let value = owned.value { terms.append(pass.term(value, .value)) }
      if isLastOwner && pass.wanted < pass.count {
        pass.multiply(terms, by: .normed)
        terms.removeAll(keepingCapacity: true)
        store(owned, pass)
        pass.narrow()
        if pass.count == 0 { return }
      }
    }
    let storesLater = !terms.isEmpty
    terms.append(pass.term(query, .query))
    if let alongside { terms.append(pass.term(alongside.weights, alongside.out)) }
    pass.multiply(terms, by: .normed)
    if storesLater, let owned { store(owned, pass) }
    attend(pass)
    pass.multiply(output, .mixed, by: .attended)
  }

  /// Normalises and rotates keys, normalises values, and writes both to the cache.
  private func store(_ owned: Owned, _ pass: Pass) {
    guard let cache = pass.caches[source] else { return }
    let (heads, dimension) = (layer.keyValueHeads, layer.headDimension)
    let keys = pass.rows(.key, heads * dimension)
    let values = pass.rows(.value, heads * dimension)
    pass.forEachRow { row in
      let (key, value) = (keys.row(row), values.row(row))
      if owned.value == nil { value.update(from: key, count: heads * dimension) }
      owned.valueNorm?(value, count: heads)
      owned.keyNorm(key, count: heads)
      rotate(key, heads, pass, row)
      cache.store(position: pass.position + pass.first + row, key: key, value: value)
    }
  }

  private func rotate(_ x: UnsafeMutablePointer<Float>, _ heads: Int, _ pass: Pass, _ row: Int) {
    let chunkRow = pass.first + row
    ck_rope(
      x, heads, layer.headDimension, rotary.cosines(pass.workspace, chunkRow), rotary.sines(pass.workspace, chunkRow))
  }

  private func attend(_ pass: Pass) {
    guard let cache = pass.caches[source] else { return }
    let dimension = layer.headDimension
    let queries = pass.rows(.query, heads * dimension)
    pass.forEachRow { row in
      queryNorm(queries.row(row), count: heads)
      rotate(queries.row(row), heads, pass, row)
    }
    let attended = pass.rows(.attended, heads * dimension)
    var task = ck_attention_task(
      queries: queries.base, out: attended.base, keys: cache.keys, values: cache.values, key_scales: cache.keyScales,
      value_scales: cache.valueScales, query_stride: queries.stride, out_stride: attended.stride, heads: heads,
      kv_heads: layer.keyValueHeads, head_dim: dimension, capacity: cache.capacity,
      first_position: pass.position + pass.first - pass.keyLag, window: window == 0 ? 0 : window - pass.keyLag,
      type: cache.type, scale: scale)
    let oldest = window == 0 ? 0 : max(0, task.first_position + 1 - task.window)
    pass.products.traffic.readCache((task.first_position + pass.count - oldest) * cache.positionBytes)
    SplitAttention(task, rows: pass.count, stateFloats: pass.workspace.count(.gate)).attend(&task, pass)
  }
}
