import GemmaRuntime
import GemmaWeights

/// Attention and feed-forward, each between two norms and added to the residual stream: what the layers of Gemma 3 and
/// Gemma 4 have in common.
struct TransformerLayer: Sendable {
  let attention: Attention
  let feedForward: FeedForward
  let inputNorm, postAttentionNorm, preFeedForwardNorm, postFeedForwardNorm: RMSNorm

  init(_ loader: LayerLoader) throws(GemmaError) {
    let hidden = loader.model.hiddenSize
    attention = try Attention(loader)
    feedForward = try FeedForward(loader)
    inputNorm = try loader.norm("input_layernorm", hidden)
    postAttentionNorm = try loader.norm("post_attention_layernorm", hidden)
    preFeedForwardNorm = try loader.norm("pre_feedforward_layernorm", hidden)
    postFeedForwardNorm = try loader.norm("post_feedforward_layernorm", hidden)
    loader.shared.layout.reserve(.stream0, .normed, .mixed, columns: hidden)
  }

  /// h [rows, H] in `.stream0`, in place:
  /// h += norm(attention(norm(h)));  h += norm(feedForward(norm(h))).
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
    }
  }
}
