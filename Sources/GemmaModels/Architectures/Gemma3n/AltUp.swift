import GemmaKernels
import GemmaRuntime
import GemmaWeights

/// Alternating updates (Baykal et al., 2023): four residual streams of which a layer computes one and predicts the
/// others. X: `.stream0 ... .stream3`, Y: `.predicted0 ... .predicted3`, each [rows, H].
struct AltUp: Sendable {
  let router: WeightMatrix  // [4, H]
  let routerNorm: RMSNorm
  let prediction: WeightMatrix  // [16, 4]
  let correction: WeightMatrix  // [4, 4]

  init(_ loader: LayerLoader) throws(GemmaError) {
    let hidden = loader.model.hiddenSize
    router = try loader.matrix("altup.modality_router", 4, hidden)
    routerNorm = try loader.norm("altup.router_norm", hidden)
    prediction = try loader.matrix("altup.prediction_coefs", 16, 4)
    correction = try loader.matrix("altup.correction_coefs", 4, 4)
  }

  /// Y[i] = X[i] + sum over j of C[i][j] X[j], with C = prediction(route(X[0])).
  func predict(_ pass: Pass) {
    route(pass, .stream0)
    pass.multiply(prediction, .coefficients, by: .router)
    let hidden = routerNorm.width
    let (x, y) = (pass.rows(.stream0, hidden), pass.rows(.predicted0, hidden))
    let coefficients = pass.rows(.coefficients, 16)
    let stride = pass.workspace.streamStride
    pass.forEachRow { row in ck_altup_predict(y.row(row), x.row(row), stride, coefficients.row(row), hidden) }
  }

  /// X[i] = Y[i] + (1 + c[i]) (o - Y[0]), with c = correction(route(o)) and the layer's output o in `.residual`.
  func correct(_ pass: Pass) {
    route(pass, .residual)
    pass.multiply(correction, .coefficients, by: .router)
    let hidden = routerNorm.width
    let (x, y) = (pass.rows(.stream0, hidden), pass.rows(.predicted0, hidden))
    let (output, innovation) = (pass.rows(.residual, hidden), pass.rows(.branch, hidden))
    let coefficients = pass.rows(.coefficients, 4)
    let stride = pass.workspace.streamStride
    pass.forEachRow { row in
      let d = innovation.row(row)
      ck_add_scaled(d, output.row(row), y.row(row), -1, hidden)
      for stream in 0..<4 {
        let c = coefficients.row(row)[stream] + 1
        ck_add_scaled(x.row(row) + stream * stride, y.row(row) + stream * stride, d, c, hidden)
      }
    }
  }

  /// `.router` [rows, 4] = tanh(norm(x) / H · router).
  private func route(_ pass: Pass, _ input: Workspace.Region) {
    let hidden = routerNorm.width
    let (x, n) = (pass.rows(input, hidden), pass.rows(.normed, hidden))
    pass.forEachRow { row in
      routerNorm(n.row(row), x.row(row))
      ck_scale(n.row(row), n.row(row), 1 / Float(hidden), hidden)
    }
    pass.multiply(router, .router, by: .normed)
    let modalities = pass.rows(.router, 4)
    ck_tanh(modalities.base, modalities.base, 4 * pass.count)
  }
}

/// The way into the four streams and out of them.
struct AltUpStreams: Sendable {
  let projections: [WeightMatrix]  // 3 x [H, H]
  let unembeddings: [WeightMatrix]  // 3 x [H, H]
  let hidden: Int

  /// Below this a projection's mean square counts as this, so that a zero vector stays one.
  private static let leastMeanSquare: Float = 1e-5
  private static let streams: [Workspace.Region] = [.stream1, .stream2, .stream3]

  init(_ loader: ModelLoader) throws(GemmaError) {
    hidden = loader.model.hiddenSize
    var projections: [WeightMatrix] = []
    var unembeddings: [WeightMatrix] = []
    for index in 0..<3 {
      projections.append(try loader.matrix("altup_projections.\(index)", hidden, hidden))
      unembeddings.append(try loader.matrix("altup_unembed_projections.\(index)", hidden, hidden))
    }
    self.projections = projections
    self.unembeddings = unembeddings
  }

  /// X[i] = projection[i - 1](X[0]), brought to the magnitude of X[0].
  func spread(_ pass: Pass) {
    pass.multiply(zip(projections, Self.streams).map { pass.term($0, $1) }, by: .stream0)
    let embedded = pass.rows(.stream0, hidden)
    for region in Self.streams {
      let stream = pass.rows(region, hidden)
      pass.forEachRow { row in match(stream.row(row), to: embedded.row(row)) }
    }
  }

  /// `.stream0` = mean of X[0] and unembedding[i - 1](X[i]), each brought to the magnitude of X[0].
  func merge(_ pass: Pass) {
    let first = pass.rows(.stream0, hidden)
    let results: [Workspace.Region] = [.predicted1, .predicted2, .predicted3]
    for index in 0..<3 {
      pass.multiply(unembeddings[index], results[index], by: Self.streams[index])
    }
    let outputs = results.map { pass.rows($0, hidden) }
    pass.forEachRow { row in
      for output in outputs { match(output.row(row), to: first.row(row)) }
      for output in outputs { add(first.row(row), output.row(row), hidden) }
      ck_scale(first.row(row), first.row(row), 0.25, hidden)
    }
  }

  private func match(_ x: UnsafeMutablePointer<Float>, to reference: UnsafePointer<Float>) {
    let magnitude = ck_mean_square(reference, hidden).squareRoot()
    // Not max(), which may drop a NaN.
    let meanSquare = ck_mean_square(x, hidden)
    let own = (meanSquare < Self.leastMeanSquare ? Self.leastMeanSquare : meanSquare).squareRoot()
    ck_scale(x, x, magnitude / own, hidden)
  }
}
