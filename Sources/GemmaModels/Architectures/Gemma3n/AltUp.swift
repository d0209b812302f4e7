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
    reserve(&loader.shared.layout)
  }

  private func reserve(_ layout: inout Workspace.Layout) {
    let hidden = routerNorm.width
    Self.reserveStreams(&layout, columns: hidden)
    layout.reserve(.normed, .branch, .residual, columns: hidden)
    layout.reserve(.router, columns: 4)
    layout.reserve(.coefficients, columns: 16)
  }

  /// X and Y. Equal in size and adjacent, so that `stride` leads from each to the next.
  static func reserveStreams(_ layout: inout Workspace.Layout, columns: Int) {
    layout.reserve(.stream0, .stream1, .stream2, .stream3, columns: columns)
    layout.reserve(.predicted0, .predicted1, .predicted2, .predicted3, columns: columns)
  }

  /// Floats from one stream to the next.
  static func stride(_ workspace: Workspace) -> Int { workspace.count(.stream0) }

  /// Y[i] = X[i] + sum over j of C[i][j] X[j], with C = prediction(route(X[0])).
  func predict(_ pass: Pass) {
    route(pass, .stream0)
    pass.multiply(prediction, .coefficients, by: .router)
    let hidden = routerNorm.width
    let (x, y) = (pass.rows(.stream0, hidden), pass.rows(.predicted0, hidden))
    let coefficients = pass.rows(.coefficients, 16)
    let stride = Self.stride(pass.workspace)
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
    let stride = Self.stride(pass.workspace)
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
