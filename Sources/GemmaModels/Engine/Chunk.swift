import GemmaRuntime
import GemmaWeights

/// Some of the tokens that a timeline appends, on their way through the layers together.
struct Chunk {
  private(set) var pass: Pass
  /// Index of the first token among the pending ones.
  private let firstIndex: Int
  /// The next layer.
  private var layer = 0
  /// Rows of `.logits` that hold those of the last tokens.
  private var keptLogits = 0

  init(_ pass: Pass, firstIndex: Int) {
    self.pass = pass
    self.firstIndex = firstIndex
  }

  /// Takes the tokens through the layers that are left, and wanted rows to their logits; false after a pause, which is
  /// asked for after every layer. `eachRow` gets the index of a token among the pending ones, and its logits.
  mutating func compute(
    by model: LoadedModel, until pause: () -> Bool, _ eachRow: (Int, UnsafeBufferPointer<Float>) throws -> Void
  ) throws -> Bool {
    try pass.stop.check()
    try model.checkpoint.checkUnchanged()
    let stack = model.stack
    if layer == 0 { stack.enter(pass) }
    while layer < stack.layerCount && pass.count > 0 {
      stack.layer(layer, &pass)
      layer += 1
      try pass.stop.check()
      if pause() { return false }
    }
    guard pass.count > 0 else { return true }
    stack.leave(pass)
    try predict(by: model, eachRow)
    return true
  }

  /// Logits of the rows that are left, as many at a time as the workspace holds.
  private mutating func predict(
    by model: LoadedModel, _ eachRow: (Int, UnsafeBufferPointer<Float>) throws -> Void
  ) throws {
    let vocabulary = model.configuration.vocabularySize
    for begin in stride(from: 0, to: pass.count, by: Workspace.logitRows) {
      let rows = begin..<min(begin + Workspace.logitRows, pass.count)
      try model.stack.logits(pass, rows)
      for row in rows {
        let logits = pass.workspace.base(.logits) + (row - begin) * vocabulary
        try eachRow(firstIndex + pass.first + row, UnsafeBufferPointer(start: logits, count: vocabulary))
      }
      keptLogits = rows.count
    }
  }

  /// What the workspace still holds after the last layer.
  var remains: Remains {
    let end = pass.position + pass.tokens.count
    return Remains(position: pass.position, hidden: pass.position + pass.first..<end, logits: end - keptLogits..<end)
  }
}

/// The tokens at the end of a pass whose numbers are still in the workspace, by their indices in the timeline.
struct Remains {
  /// The token in row 0 of `.normed`.
  let position: Int
  /// The tokens with final hidden states.
  let hidden: Range<Int>
  /// The tokens whose logits are in rows 0 ... of `.logits`.
  let logits: Range<Int>
}
