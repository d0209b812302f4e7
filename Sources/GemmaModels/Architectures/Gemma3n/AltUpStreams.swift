import GemmaKernels
import GemmaRuntime
import GemmaWeights

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
    AltUp.reserveStreams(&loader.layout, columns: hidden)
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
