import GemmaKernels
import GemmaRuntime
import GemmaWeights

/// One chunk of tokens on its way through the layers, with everything a layer needs beside its weights.
///
/// Layers name regions of the workspace; row 0 of what they get is the first row that is still on its way.
struct Pass {
  /// What stays the same through all layers. One reference: a pass is handed on at every call, and copying so many fields
  /// with their reference counts was measured as a fifth of a small model's step.
  private final class Fixed {
    let tokens: [TokenID]
    let position: Int
    let wanted: Int
    let workspace: Workspace
    let products: Products
    let caches: [KeyValueCache?]
    let stop: StopSignal
    let keyLag: Int

    init(
      _ tokens: [TokenID], _ position: Int, _ wanted: Int, _ workspace: Workspace, _ products: Products,
      _ caches: [KeyValueCache?], _ stop: StopSignal, _ keyLag: Int
    ) {
      self.tokens = tokens
      self.position = position
      self.wanted = wanted
      self.workspace = workspace
      self.products = products
      self.caches = caches
      self.stop = stop
      self.keyLag = keyLag
    }
  }

  private let fixed: Fixed
  /// First row of the chunk that is still on its way.
  private(set) var first = 0

  init(
    tokens: [TokenID], position: Int, wanted: Int, workspace: Workspace, products: Products,
    caches: [KeyValueCache?], stop: StopSignal, keyLag: Int = 0
  ) {
    fixed = Fixed(tokens, position, wanted, workspace, products, caches, stop, keyLag)
  }

  /// The chunk's ids, all inside the vocabulary.
  var tokens: [TokenID] { fixed.tokens }
  /// Absolute position of the chunk's first token.
  var position: Int { fixed.position }
  /// Rows at the end of the chunk whose logits are wanted.
  var wanted: Int { fixed.wanted }
  var workspace: Workspace { fixed.workspace }
  var products: Products { fixed.products }
  var caches: [KeyValueCache?] { fixed.caches }
  /// Loops look at it before each share; behind a raised signal the rows hold anything.
  var stop: StopSignal { fixed.stop }
  /// Positions from a row back to the newest key it sees: 1 for a drafter, whose rows have no keys of their own.
  var keyLag: Int { fixed.keyLag }

  /// Rows still on their way.
  var count: Int { tokens.count - first }

  /// Leaves only the rows whose logits are wanted: nobody will read the others' keys and values any more.
  mutating func narrow() { first = tokens.count - wanted }

  /// The rows on their way, each of so many floats, which a part of the model reserved.
  func rows(_ region: Workspace.Region, _ width: Int) -> Rows {
    precondition(fixed.tokens.count * width <= workspace.count(region), "nobody reserved enough of a region")
    return Rows(base: workspace.base(region) + first * width, stride: width)
  }

  /// Calls `body` for each row on its way, on the team's threads.
  func forEachRow(_ body: (Int) -> Void) {
    forEach(count) { for row in $0 { body(row) } }
  }

  /// Calls `body` with shares of 0 ..< count on the team's threads, until the pass is stopped.
  func forEach(_ count: Int, grain: Int = 1, _ body: (Range<Int>) -> Void) {
    Parallel.forEach(count, grain: grain, unless: stop, body)
  }

  /// x · weights, to go to `out`.
  func term(_ weights: WeightMatrix, _ out: Workspace.Region) -> Products.Term {
    Products.Term(weights, rows(out, weights.rows))
  }

  /// All of the terms for all rows: one reading of x for several matrices.
  func multiply(_ terms: [Products.Term], by input: Workspace.Region) {
    guard let columns = terms.first?.matrix.columns else { return }
    products.multiply(terms, by: rows(input, Int(columns)), count: count)
  }

  func multiply(_ weights: WeightMatrix, _ out: Workspace.Region, by input: Workspace.Region) {
    products.multiply(term(weights, out), by: rows(input, weights.columns), count: count)
  }
}
