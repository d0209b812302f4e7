import GemmaKernels
import GemmaRuntime
import GemmaWeights
import Synchronization

/// The tied ends of a model: token embedding in front, final norm, product with the same matrix and cap behind.
struct OutputHead: Sendable {
  let embedding: WeightMatrix  // [V, H]
  let norm: RMSNorm
  let hidden: Int
  let vocabulary: Int
  let softcap: Float?

  init(_ loader: ModelLoader) throws(GemmaError) {
    let model = loader.model
    hidden = model.hiddenSize
    vocabulary = model.vocabularySize
    softcap = model.finalLogitSoftcap
    embedding = try loader.matrix("embed_tokens", vocabulary, hidden)
    norm = try loader.norm("norm", hidden)
    reserve(&loader.layout)
  }

  private func reserve(_ layout: inout Workspace.Layout) {
    layout.reserve(.stream0, .normed, columns: hidden)
    layout.reserve(.logits, rows: .logits, columns: vocabulary)
  }

  /// `region` [rows, H] = embedding[token] * sqrt(H).
  func embed(_ pass: Pass, into region: Workspace.Region) {
    let out = pass.rows(region, hidden)
    let scale = Float(hidden).squareRoot()
    pass.products.traffic.read(rows: pass.count, of: embedding.raw)
    pass.tokens.withUnsafeBufferPointer { tokens in
      guard let tokens = tokens.baseAddress else { return }
      pass.forEach(pass.count) { share in
        ck_gather_rows(
          out.row(share.lowerBound), out.stride, embedding.raw, tokens + pass.first + share.lowerBound, share.count, 0,
          hidden, scale)
      }
    }
  }

  /// `.normed` = norm(`.stream0`).
  func normalize(_ pass: Pass) {
    let (x, y) = (pass.rows(.stream0, hidden), pass.rows(.normed, hidden))
    pass.forEachRow { row in norm(y.row(row), x.row(row)) }
  }

  /// `.logits` [rows, V] = cap(`.normed` · embedding), as `LayerStack.logits` says.
  func logits(_ pass: Pass, _ range: Range<Int>) throws {
    let x = pass.rows(.normed, hidden)
    let out = Rows(base: pass.workspace.base(.logits), stride: vocabulary)
    pass.products.multiply(
      Products.Term(embedding, out), by: Rows(base: x.row(range.lowerBound), stride: x.stride), count: range.count)
    for row in 0..<range.count {
      let logits = out.row(row)
      let holdsNaN = Atomic(false)
      pass.forEach(vocabulary, grain: 4096) {
        let part = logits + $0.lowerBound
        if let softcap { ck_softcap(part, part, softcap, $0.count) }
        // Squares cannot cancel, so the mean is NaN exactly when a logit is.
        if ck_mean_square(part, $0.count).isNaN { holdsNaN.store(true, ordering: .relaxed) }
      }
      try pass.stop.check()
      if holdsNaN.load(ordering: .relaxed) {
        throw GemmaError.degenerateOutput(
          reason: "the logits hold NaN; the weights are damaged or do not belong to this architecture")
      }
    }
  }
}
