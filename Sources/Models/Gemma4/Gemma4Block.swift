import CKernels
import Tensors
import Weights

/// One layer of Gemma 4: attention and feed-forward as in Gemma 3, per-layer input, and a scalar on the whole stream.
struct Gemma4Block: Sendable {
  let attention: Attention
  let feedForward: FeedForward
  let injection: PerLayerInjection?
  let inputNorm, postAttentionNorm, preFeedForwardNorm, postFeedForwardNorm: RMSNorm
  let layerScalar: Float

  init(_ index: Int, _ loader: LayerLoader) throws(GemmaError) {
    let hidden = loader.model.hiddenSize
    attention = try Attention(index, loader)
    feedForward = try FeedForward(index, loader)
    injection = try PerLayerInjection(index, loader)
    inputNorm = try loader.norm("input_layernorm", hidden)
    postAttentionNorm = try loader.norm("post_attention_layernorm", hidden)
    preFeedForwardNorm = try loader.norm("pre_feedforward_layernorm", hidden)
    postFeedForwardNorm = try loader.norm("post_feedforward_layernorm", hidden)
    layerScalar = try loader.checkpoint.scalar(loader.name("layer_scalar"))
  }

  /// h [rows, H] in `.stream0`, in place:
  /// h += norm(attention(norm(h)));  h += norm(feedForward(norm(h)));  h += norm(perLayerInput(h));  h *= layerScalar.
  func callAsFunction(_ pass: inout Pass) {
    let hidden = inputNorm.width
    do {
      let (h, x) = (pass.rows(.stream0, hidden), pass.rows(.normed, hidden))
      pass.forEachRow { row in inputNorm(x.row(row), h.row(row)) }
    }
    attention(&pass)
    if pass.count == 0 { return }

    let (h, x) = (pass.rows(.stream0, hidden), pass.rows(.normed, hidden))
    let y = pass.rows(.mixed, hidden)
    pass.forEachRow { row in
      postAttentionNorm(y.row(row))
      add(h.row(row), y.row(row), hidden)
      preFeedForwardNorm(x.row(row), h.row(row))
    }
    feedForward(pass)
    pass.forEachRow { row in
      postFeedForwardNorm(y.row(row))
      add(h.row(row), y.row(row), hidden)
      if injection == nil { ck_scale(h.row(row), h.row(row), layerScalar, hidden) }
    }
    guard let injection else { return }
    injection(pass, from: .stream0)
    pass.forEachRow { row in
      injection.norm(y.row(row))
      add(h.row(row), y.row(row), hidden)
      ck_scale(h.row(row), h.row(row), layerScalar, hidden)
    }
  }
}

/// Gemma 4: a plain stack behind the per-layer embeddings, where the model has them.
struct Gemma4Decoder: Decoder {
  let blocks: [Gemma4Block]
  let perLayer: PerLayerEmbeddings?

  init(_ loader: ModelLoader) throws(GemmaError) {
    perLayer = try PerLayerEmbeddings(loader)
    var blocks: [Gemma4Block] = []
    for index in loader.model.layers.indices {
      blocks.append(try Gemma4Block(index, LayerLoader(loader: loader, index: index)))
    }
    self.blocks = blocks
  }

  var layerCount: Int { blocks.count }
  func enter(_ pass: Pass) { perLayer?(pass) }
  func layer(_ index: Int, _ pass: inout Pass) { blocks[index](&pass) }
  func leave(_ pass: Pass) {}
}
