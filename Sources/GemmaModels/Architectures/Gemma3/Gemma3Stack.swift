import GemmaRuntime
import GemmaWeights

/// Gemma 3: a plain stack.
struct Gemma3Stack: TiedStack {
  /// Norms multiply by 1 + w.
  static let conventions = LayerConventions(normShift: 1, normalizesValues: false)

  let outputHead: OutputHead
  let rotary: RotaryTables
  let layers: [TransformerLayer]

  init(_ loader: ModelLoader) throws(GemmaError) {
    outputHead = try OutputHead(loader)
    rotary = loader.rotary
    layers = try loader.layers(TransformerLayer.init)
  }

  var layerCount: Int { layers.count }

  func enter(_ pass: Pass) {
    rotary.fill(pass)
    outputHead.embed(pass, into: .stream0)
  }

  func layer(_ index: Int, _ pass: inout Pass) { layers[index](&pass) }

  func leave(_ pass: Pass) { outputHead.normalize(pass) }
}
