import GemmaKernels
import GemmaRuntime
import GemmaWeights

/// One layer of Gemma 4: that of Gemma 3, the layer's per-layer input, and a scalar on the whole stream.
struct Gemma4Layer: Sendable {
  let transformer: TransformerLayer
  let injection: PerLayerInjection?
  let layerScalar: Float
  let hidden: Int

  init(_ loader: LayerLoader) throws(GemmaError) {
    transformer = try TransformerLayer(loader)
    injection = try PerLayerInjection(loader)
    layerScalar = try loader.checkpoint.scalar(loader.name("layer_scalar"))
    hidden = loader.model.hiddenSize
    loader.shared.layout.reserve(.stream0, columns: hidden)
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
