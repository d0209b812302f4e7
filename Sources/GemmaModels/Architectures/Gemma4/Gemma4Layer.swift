import GemmaKernels
import GemmaRuntime
import GemmaWeights

/// One layer of Gemma 4: that of Gemma 3, the layer's per-layer input, and a scalar on the whole stream.
struct Gemma4Layer: Sendable {
  let transformer: TransformerLayer
  let injection: PerLayerInjection?
  let layerScalar: Float
  let hidden: Int

  init(_ index: Int, _ loader: LayerLoader) throws(GemmaError) {
    transformer = try TransformerLayer(index, loader)
    injection = try PerLayerInjection(index, loader)
    layerScalar = try loader.checkpoint.scalar(loader.name("layer_scalar"))
    hidden = loader.model.hiddenSize
  }

  /// h [rows, H] in `.stream0`, in place: h = transformer(h);  h += norm(perLayerInput(h));  h *= layerScalar.
  func callAsFunction(_ pass: inout Pass) {
    transformer(&pass)
    let (h, y) = (pass.rows(.stream0, hidden), pass.rows(.mixed, hidden))
    injection?(pass, from: .stream0)
    pass.forEachRow { row in
      if let injection {
        injection.norm(y.row(row))
        add(h.row(row), y.row(row), hidden)
      }
      ck_scale(h.row(row), h.row(row), layerScalar, hidden)
    }
  }
}

/// Gemma 4: a plain stack behind the per-layer embeddings, where the model has them.
struct Gemma4Stack: LayerStack {
  let layers: [Gemma4Layer]
  let perLayer: PerLayerEmbeddings?

  init(_ loader: ModelLoader) throws(GemmaError) {
    perLayer = try PerLayerEmbeddings(loader)
    var layers: [Gemma4Layer] = []
    for index in loader.model.layers.indices {
      layers.append(try Gemma4Layer(index, LayerLoader(loader: loader, index: index)))
    }
    self.layers = layers
  }

  var layerCount: Int { layers.count }
  func enter(_ pass: Pass) { perLayer?(pass) }
  func layer(_ index: Int, _ pass: inout Pass) { layers[index](&pass) }
  func leave(_ pass: Pass) {}
}
