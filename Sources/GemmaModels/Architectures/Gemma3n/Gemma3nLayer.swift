import GemmaKernels
import GemmaRuntime
import GemmaWeights

/// One layer of Gemma 3n: AltUp around attention with LAuReL beside it, sparse feed-forward, per-layer input.
struct Gemma3nLayer: Sendable {
  let altUp: AltUp
  let laurel: Laurel
  let attention: Attention
  let feedForward: FeedForward
  let injection: PerLayerInjection?
  let inputNorm, postAttentionNorm, preFeedForwardNorm, postFeedForwardNorm: RMSNorm
  /// [H], on what the per-layer gate reads; nil where the model has none.
  let correctedScale: WeightVector?

  init(_ loader: LayerLoader) throws(GemmaError) {
    let hidden = loader.model.hiddenSize
    altUp = try AltUp(loader)
    laurel = try Laurel(loader)
    attention = try Attention(loader)
    feedForward = try FeedForward(loader)
    injection = try PerLayerInjection(loader)
    inputNorm = try loader.norm("input_layernorm", hidden)
    postAttentionNorm = try loader.norm("post_attention_layernorm", hidden)
    preFeedForwardNorm = try loader.norm("pre_feedforward_layernorm", hidden)
    postFeedForwardNorm = try loader.norm("post_feedforward_layernorm", hidden)
    loader.shared.layout.reserve(.normed, .mixed, .branch, .residual, columns: hidden)
    correctedScale =
      loader.model.altupCorrectScale
      ? try loader.checkpoint.vector(loader.name("altup.correct_output_scale"), count: hidden, shift: 0) : nil
  }

  /// The four streams X, in place.
  func callAsFunction(_ pass: inout Pass) {
    altUp.predict(pass)
    computeActive(&pass)
    if pass.count == 0 { return }
    altUp.correct(pass)
    inject(pass)
  }

  /// From the active stream's prediction a in `.predicted0` to the layer's output o in `.residual`:
  /// n = norm(a);  z = (a + norm(attention(n)) + laurel(n)) / sqrt(2);  o = z + norm(feedForward(norm(z))).
  private func computeActive(_ pass: inout Pass) {
    let hidden = inputNorm.width
    do {
      let (a, n) = (pass.rows(.predicted0, hidden), pass.rows(.normed, hidden))
      pass.forEachRow { row in inputNorm(n.row(row), a.row(row)) }
    }
    attention(&pass, alongside: (laurel.left, .lowRank))
    if pass.count == 0 { return }
    laurel(pass)

    let (a, n) = (pass.rows(.predicted0, hidden), pass.rows(.normed, hidden))
    let (y, u, z) = (pass.rows(.mixed, hidden), pass.rows(.branch, hidden), pass.rows(.residual, hidden))
    let halfRoot = Float(0.5).squareRoot()
    pass.forEachRow { row in
      postAttentionNorm(y.row(row))
      ck_add_scaled(z.row(row), a.row(row), y.row(row), 1, hidden)
      add(z.row(row), u.row(row), hidden)
      ck_scale(z.row(row), z.row(row), halfRoot, hidden)
      preFeedForwardNorm(n.row(row), z.row(row))
    }
    feedForward(pass)
    pass.forEachRow { row in
      postFeedForwardNorm(y.row(row))
      add(z.row(row), y.row(row), hidden)
    }
  }

  /// Adds the layer's per-layer input, gated by the active stream, to the three others.
  private func inject(_ pass: Pass) {
    guard let injection else { return }
    let hidden = inputNorm.width
    let x = pass.rows(.stream0, hidden)
    if let correctedScale {
      let scaled = pass.rows(.normed, hidden)
      pass.forEachRow { row in ck_multiply(scaled.row(row), x.row(row), correctedScale.raw, hidden) }
      injection(pass, from: .normed)
    } else {
      injection(pass, from: .stream0)
    }
    let y = pass.rows(.mixed, hidden)
    let stride = AltUp.stride(pass.workspace)
    pass.forEachRow { row in
      injection.norm(y.row(row))
      for stream in 1..<4 { add(x.row(row) + stream * stride, y.row(row), hidden) }
    }
  }
}
