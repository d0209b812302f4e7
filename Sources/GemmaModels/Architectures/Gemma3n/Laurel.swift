import GemmaRuntime
import GemmaWeights

/// Learned augmented residual layer (LAuReL, Menghani et al., 2024), low rank: u = n + norm(n · left · right).
struct Laurel: Sendable {
  let left: WeightMatrix  // [rank, H]
  let right: WeightMatrix  // [H, rank]
  let norm: RMSNorm

  init(_ loader: LayerLoader) throws(GemmaError) {
    let model = loader.model
    left = try loader.matrix("laurel.linear_left", model.laurelRank, model.hiddenSize)
    right = try loader.matrix("laurel.linear_right", model.hiddenSize, model.laurelRank)
    norm = try loader.norm("laurel.post_laurel_norm", model.hiddenSize)
    loader.shared.layout.reserve(.lowRank, columns: model.laurelRank)
    loader.shared.layout.reserve(.branch, columns: model.hiddenSize)
  }

  /// From n in `.normed` and n · left in `.lowRank` to u in `.branch` [rows, H].
  func callAsFunction(_ pass: Pass) {
    pass.multiply(right, .branch, by: .lowRank)
    let (n, u) = (pass.rows(.normed, norm.width), pass.rows(.branch, norm.width))
    pass.forEachRow { row in
      norm(u.row(row))
      add(u.row(row), n.row(row), norm.width)
    }
  }
}
