import GemmaRuntime
import GemmaWeights

/// Gemma 3n: per-layer embeddings and four AltUp streams around the stack.
struct Gemma3nStack: TiedStack {
  static let conventions = LayerConventions(normShift: 0, normalizesValues: true)

  let outputHead: OutputHead
  let rotary: RotaryTables
  let streams: AltUpStreams
  let perLayer: PerLayerEmbeddings?
  let layers: [Gemma3nLayer]

  init(_ loader: ModelLoader) throws(GemmaError) {
    outputHead = try OutputHead(loader)
    rotary = loader.rotary
    streams = try AltUpStreams(loader)
    perLayer = try PerLayerEmbeddings(loader)
    layers = try loader.layers(Gemma3nLayer.init)
  }

  var layerCount: Int { layers.count }

  func enter(_ pass: Pass) {
    rotary.fill(pass)
    outputHead.embed(pass, into: .stream0)
    perLayer?(pass)
    streams.spread(pass)
  }

  func layer(_ index: Int, _ pass: inout Pass) { layers[index](&pass) }

  func leave(_ pass: Pass) {
    streams.merge(pass)
    outputHead.normalize(pass)
  }
}
