import GemmaKernels
import GemmaRuntime
import GemmaWeights

/// The drafter's output head: scores of pieces from its normalised state, not capped.
struct DrafterOutputHead: Sendable {
  /// Cuts the pieces that are scored down to those of the best clusters.
  struct Clusters: Sendable {
    let shape: ClusteredHeadConfiguration
    let centroids: WeightMatrix  // [clusters, H]
    let ordering: TokenOrdering  // [V]: the pieces of cluster 0, then those of cluster 1, ...
  }

  let embedding: WeightMatrix  // [V, H], the drafter's own
  let hidden: Int
  let clusters: Clusters?

  init(_ drafter: DrafterConfiguration, _ loader: ModelLoader) throws(GemmaError) {
    hidden = loader.model.hiddenSize
    let vocabulary = loader.model.vocabularySize
    embedding = try loader.matrix("embed_tokens", vocabulary, hidden)
    if let shape = drafter.clusteredHead {
      clusters = Clusters(
        shape: shape, centroids: try loader.matrix("masked_embedding.centroids", shape.clusterCount, hidden),
        ordering: try loader.checkpoint.tokenOrdering("masked_embedding.token_ordering", count: vocabulary))
    } else {
      clusters = nil
    }
  }

  /// Scores of all pieces [V] for the state in `.normed` [1, H], -infinity for those that are not looked at. Valid until
  /// the next step.
  /// Throws `CancellationError` for a stopped pass, and `.degenerateOutput` for NaN.
  func callAsFunction(_ pass: Pass) throws -> UnsafeBufferPointer<Float> {
    guard let clusters else {
      pass.multiply(embedding, .logits, by: .normed)
      return UnsafeBufferPointer(start: try checked(pass, embedding.rows), count: embedding.rows)
    }
    try select(clusters, pass)
    let (pieces, count) = (Self.pieces(pass), clusters.shape.selectedPieces)
    pass.products.multiply(
      rows: pieces, count: count, of: embedding, into: pass.workspace.base(.logits), by: pass.rows(.normed, hidden))
    let logits = try checked(pass, count)
    let scores = pass.workspace.base(.scores)
    scores.update(repeating: -.infinity, count: embedding.rows)
    for place in 0..<count { scores[Int(pieces[place])] = logits[place] }
    return UnsafeBufferPointer(start: scores, count: embedding.rows)
  }

  /// `.logits`, of which `count` were computed.
  private func checked(_ pass: Pass, _ count: Int) throws -> UnsafeMutablePointer<Float> {
    let logits = pass.workspace.base(.logits)
    try pass.stop.check()
    // Squares cannot cancel, so the mean is NaN exactly when a score is.
    if ck_mean_square(logits, count).isNaN { throw Self.degenerate }
    return logits
  }

  /// Leaves the pieces of the clusters with the largest y · centroid in `.selection`.
  private func select(_ clusters: Clusters, _ pass: Pass) throws {
    let shape = clusters.shape
    pass.multiply(clusters.centroids, .clusters, by: .normed)
    try pass.stop.check()
    let scores = pass.workspace.base(.clusters)
    if ck_mean_square(scores, shape.clusterCount).isNaN { throw Self.degenerate }
    var best = [Int32](repeating: 0, count: shape.selectedClusters)
    var values = [Float](repeating: 0, count: shape.selectedClusters)
    let found = ck_top_k(&best, &values, best.count, scores, shape.clusterCount)
    guard found == best.count else { throw Self.degenerate }
    let pieces = Self.pieces(pass)
    pass.forEach(best.count, grain: 8) { share in
      for rank in share {
        for member in 0..<shape.clusterSize {
          pieces[rank * shape.clusterSize + member] = clusters.ordering[Int(best[rank]) * shape.clusterSize + member]
        }
      }
    }
    try pass.stop.check()
  }

  private static func pieces(_ pass: Pass) -> UnsafeMutablePointer<TokenID> {
    UnsafeMutableRawPointer(pass.workspace.base(.selection)).assumingMemoryBound(to: TokenID.self)
  }

  private static var degenerate: GemmaError {
    .degenerateOutput(reason: "the drafter's scores hold NaN; its weights are damaged")
  }
}
