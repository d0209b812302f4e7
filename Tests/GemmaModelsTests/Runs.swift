import Foundation
import GemmaKernels
import GemmaModels
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights

let fixtureNames = [
  "gemma3-bf16", "gemma3-f32-linear-rope", "gemma3-q4-g64", "gemma3-q8-g32",
  "gemma3n-bare", "gemma3n-full", "gemma3n-q4-g32", "gemma3n-q4-g64", "gemma3n-q8-g32",
  "gemma4-big-heads", "gemma4-e", "gemma4-keqv", "gemma4-per-layer-config",
  "gemma4-q4-g128", "gemma4-q4-g64", "gemma4-q8-g32",
]

let exact = ComputeOptions(threads: 2, float32Activations: true, reproducible: true)

func load(_ name: String) throws -> LoadedModel {
  try LoadedModel(Checkpoint(at: Fixtures.model(name)))
}

extension Timeline {
  /// Logits after every token.
  func score(_ tokens: [TokenID]) throws -> [[Float]] {
    var rows: [[Float]] = []
    var pending = PendingTokens(tokens, wanted: .every)
    try append(&pending, eachRow: { _, logits in rows.append(Array(logits)) })
    return rows
  }

  /// `count` greedy ids; leaves the timeline behind the last but one.
  func greedy(_ count: Int) throws -> [TokenID] {
    var ids: [TokenID] = []
    while true {
      ids.append(TokenID(ck_argmax(logits.baseAddress, logits.count)))
      if ids.count == count { return ids }
      try append([ids[ids.count - 1]])
    }
  }
}

func logSoftmax(_ logits: [Float]) -> [Float] {
  let sum = logits.withUnsafeBufferPointer { ck_log_sum_exp($0.baseAddress, $0.count) }
  return logits.map { $0 - sum }
}

func largestDifference(_ a: [Float], _ b: [Float]) -> Float {
  guard a.count == b.count else { return .infinity }
  // A NaN must count as far off, and max() would drop it.
  return zip(a, b).reduce(0) { worst, pair in
    let difference = abs(pair.0 - pair.1)
    return difference <= worst ? worst : difference.isNaN ? .infinity : difference
  }
}

func bits(_ rows: [[Float]]) -> [[UInt32]] { rows.map { $0.map(\.bitPattern) } }
