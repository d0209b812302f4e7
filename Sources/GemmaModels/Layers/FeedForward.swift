import GemmaKernels
import GemmaRuntime
import GemmaWeights

/// The gated feed-forward part: down( gelu(gate(x)) * up(x) ), in Gemma 3n with most of the gate cut away.
struct FeedForward: Sendable {
  let gate: WeightMatrix  // [F, H]
  let up: WeightMatrix  // [F, H]
  let down: WeightMatrix  // [H, F]
  let width: Int
  /// Number of standard deviations above the mean at which the gate is cut; nil where it is not.
  let cut: Float?

  init(_ loader: LayerLoader) throws(GemmaError) {
    let model = loader.model
    width = model.layers[loader.index].feedForwardWidth
    gate = try loader.unitRows("mlp.gate_proj")
    up = try loader.unitRows("mlp.up_proj")
    down = try loader.unitColumns("mlp.down_proj")
    let sparsity = Double(model.layers[loader.index].activationSparsity)
    cut = sparsity > 0 ? Float(NormalDistribution.quantile(sparsity)) : nil
    reserve(&loader.shared.layout)
  }

  private func reserve(_ layout: inout Workspace.Layout) {
    layout.reserveGatedUnit(width: width, hidden: up.columns, selects: cut != nil)
    layout.reserve(.mixed, columns: down.rows)
  }

  /// From the normalised rows in `.normed` [rows, H] to `.mixed` [rows, H].
  func callAsFunction(_ pass: Pass) {
    let (gated, raised) = (pass.rows(.gate, width), pass.rows(.up, width))
    let terms = (gate: Products.Term(gate, gated), up: Products.Term(up, raised))
    let x = pass.rows(.normed, Int(gate.raw.columns))
    var prepared: ck_activations?
    if let cut {
      // The cut needs mean and deviation of the whole gate first.
      pass.products.multiply(terms.gate, by: x, count: pass.count)
      pass.forEachRow { row in ck_gaussian_top_k(gated.row(row), width, cut) }
      if pass.count > 1 || !pass.products.selectedUnit(gate: gated, up: up, scratch: raised, by: x) {
        pass.products.multiply(terms.up, by: x, count: pass.count)
        pass.forEachRow { row in ck_gelu_gate(gated.row(row), gated.row(row), raised.row(row), width) }
      }
    } else {
      prepared = pass.products.gatedUnit(gate: terms.gate, up: terms.up, for: down, by: x, count: pass.count)
    }
    pass.products.multiply(pass.term(down, .mixed), by: gated, count: pass.count, prepared: prepared)
  }
}
