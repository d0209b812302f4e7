import GemmaRuntime
import GemmaWeights

/// Gemma 3: a plain stack.
struct Gemma3Decoder: Decoder {
  let blocks: [ResidualBlock]

  init(_ loader: ModelLoader) throws(GemmaError) {
    var blocks: [ResidualBlock] = []
    for index in loader.model.layers.indices {
      blocks.append(try ResidualBlock(index, LayerLoader(loader: loader, index: index)))
    }
    self.blocks = blocks
  }

  var layerCount: Int { blocks.count }
  func enter(_ pass: Pass) {}
  func layer(_ index: Int, _ pass: inout Pass) { blocks[index](&pass) }
  func leave(_ pass: Pass) {}
}
