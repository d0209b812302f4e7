import GemmaRuntime
import GemmaWeights

/// Gemma 4: a plain stack behind the per-layer embeddings, where the model has them.
struct Gemma4Stack: TiedStack {
  static let conventions = LayerConventions(normShift: 0, normalizesValues: true)

  let outputHead: OutputHead
  let rotary: RotaryTables
  let perLayer: PerLayerEmbeddings?
  let layers: [Gemma4Layer]

  init(_ loader: ModelLoader) throws(GemmaError) {
    outputHead = try OutputHead(loader)
    rotary = loader.rotary
    perLayer = try PerLayerEmbeddings(loader)
    layers = try loader.layers(Gemma4Layer.init)
  }

  var layerCount: Int { layers.count }

  func enter(_ pass: Pass) {
    rotary.fill(pass)
    outputHead.embed(pass, into: .stream0)
    perLayer?(pass)
  }

  func layer(_ index: Int, _ pass: inout Pass) { layers[index](&pass) }

  func leave(_ pass: Pass) { outputHead.normalize(pass) }
}
