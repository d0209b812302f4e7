import GemmaRuntime
import GemmaWeights

/// Gemma 3: a plain stack.
struct Gemma3Stack: LayerStack {
  let layers: [TransformerLayer]

  init(_ loader: ModelLoader) throws(GemmaError) {
    var layers: [TransformerLayer] = []
    for index in loader.model.layers.indices {
      layers.append(try TransformerLayer(index, LayerLoader(loader: loader, index: index)))
    }
    self.layers = layers
  }

  var layerCount: Int { layers.count }
  func enter(_ pass: Pass) {}
  func layer(_ index: Int, _ pass: inout Pass) { layers[index](&pass) }
  func leave(_ pass: Pass) {}
}
