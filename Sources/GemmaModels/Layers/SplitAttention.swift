import GemmaKernels
import GemmaWeights

/// How the threads divide the attention of one layer. The bits are the same for every way.
///
/// Rows and key heads come first, since each item reads its keys once for all its queries. Where these are too few,
/// as for a single row, the heads that share keys are divided; over many keys the keys are split into spans, as in
/// flash-decoding, and then the spans' states wait in the workspace until all are there.
struct SplitAttention {
  private static let span = Int(CK_ATTENTION_SPAN)

  private let rows: Int
  private let rowStep: Int
  private let rowTiles: Int
  /// Query heads of one item.
  private var headStep: Int
  /// The spans of keys that all rows together see.
  private let spans: Range<Int>
  private let heads: Int
  private let splitsKeys: Bool

  /// Room for the states of one row at the end of a context. The gate's region is free while attention is computed.
  static func reserve(_ layout: inout Workspace.Layout, heads: Int, dimension: Int) {
    layout.reserve(.gate, rows: .positions(span), columns: heads * stateWidth(dimension))
  }

  private static func stateWidth(_ dimension: Int) -> Int { dimension + Int(CK_ATTENTION_STATE_EXTRA) }

  /// `stateFloats`: room for states.
  init(_ task: ck_attention_task, rows: Int, threads: Int = Int(ck_team_size()), stateFloats: Int) {
    let sharing = task.heads / task.kv_heads
    let oldest = task.window > 0 ? max(0, task.first_position + 1 - task.window) : 0
    let spans = oldest / Self.span..<(task.first_position + rows - 1) / Self.span + 1
    let rowStep = max(1, Int(CK_ATTENTION_QUERIES) / sharing)
    let rowTiles = (rows + rowStep - 1) / rowStep
    let whole = rowTiles * task.kv_heads
    let wantedFloats = rows * spans.count * task.heads * Self.stateWidth(task.head_dim)
    splitsKeys = whole < 2 * threads && threads > 1 && spans.count > 2 && wantedFloats <= stateFloats
    // A few items for each thread where the items differ in length, one where they do not.
    let wanted = whole >= threads ? 1 : splitsKeys ? 4 * threads : threads
    let found = splitsKeys ? whole * spans.count : whole
    let divisor = (1...sharing).first { sharing % $0 == 0 && found * $0 >= wanted } ?? sharing
    headStep = sharing / divisor
    heads = task.heads
    (self.rows, self.rowStep, self.rowTiles, self.spans) = (rows, rowStep, rowTiles, spans)
  }

  /// Attends; states go to `.gate`.
  func attend(_ task: UnsafePointer<ck_attention_task>, _ pass: Pass) {
    let parts = heads / headStep
    guard splitsKeys else {
      return pass.forEach(rowTiles * parts) { share in
        for item in share {
          let (row, head) = (item / parts * rowStep, item % parts * headStep)
          ck_attention(task, row, min(row + rowStep, rows), head, head + headStep)
        }
      }
    }
    let states = ck_attention_states(
      data: pass.workspace.base(.gate), first_span: spans.lowerBound, spans: spans.count)
    pass.forEach(spans.count * rowTiles * parts) { share in
      for item in share {
        let (row, head) = (item / parts % rowTiles * rowStep, item % parts * headStep)
        let span = spans.lowerBound + item / (parts * rowTiles)
        ck_attention_span(task, states, row, min(row + rowStep, rows), head, head + headStep, span)
      }
    }
    pass.forEach(rows * heads) { share in
      for query in share { ck_attention_merge(task, states, query / heads, query % heads) }
    }
  }
}
