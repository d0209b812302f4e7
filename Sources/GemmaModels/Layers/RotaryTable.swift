import Foundation
import GemmaKernels
import GemmaWeights

/// Cosines and sines of rotary position embedding for the positions of a chunk, for one kind of layer.
struct RotaryTable: Sendable {
  /// Angle per position of each pair (k, k + D/2): theta^(-2k/D) / factor for the pairs that turn, else 0.
  /// The exponent divides by the whole head size D, also where only some pairs turn (proportional RoPE).
  let frequencies: [Float]
  /// D/2, for the threads, which would fight over a counted reference.
  private let pairs: Int
  /// Floats per chunk row in front of this table.
  private let column: Int

  init(_ frequencies: [Float], column: Int) {
    self.frequencies = frequencies
    self.column = column
    pairs = frequencies.count
  }

  static func frequencies(_ layer: LayerConfiguration) -> [Float] {
    let dimension = layer.headDimension
    return (0..<dimension / 2).map { pair in
      guard pair < layer.rotary.rotatedPairs else { return 0 }
      let exponent = -2 * Double(pair) / Double(dimension)
      return Float(pow(Double(layer.rotary.theta), exponent) / Double(layer.rotary.linearFactor))
    }
  }

  /// Fills the table for `count` positions from `first` on. Cosines [chunk, D/2], then sines [chunk, D/2].
  func fill(_ workspace: Workspace, first: Int, count: Int) {
    ck_rope_table(cosines(workspace, 0), sines(workspace, 0), frequencies, pairs, first, count)
  }

  func cosines(_ workspace: Workspace, _ row: Int) -> UnsafeMutablePointer<Float> {
    workspace.base(.rotary) + workspace.chunk * column + row * pairs
  }

  func sines(_ workspace: Workspace, _ row: Int) -> UnsafeMutablePointer<Float> {
    cosines(workspace, row) + workspace.chunk * pairs
  }
}

/// The tables of a model, side by side in `.rotary`.
struct RotaryTables: Sendable {
  private(set) var tables: [RotaryTable] = []
  /// For each layer the index of its table.
  private var indices: [Int] = []

  init(_ model: ModelConfiguration) {
    for layer in model.layers {
      let frequencies = RotaryTable.frequencies(layer)
      if let known = tables.firstIndex(where: { $0.frequencies == frequencies }) {
        indices.append(known)
      } else {
        indices.append(tables.count)
        tables.append(RotaryTable(frequencies, column: columns))
      }
    }
  }

  /// Floats per chunk row.
  private var columns: Int { tables.reduce(0) { $0 + 2 * $1.frequencies.count } }

  func reserve(_ layout: inout Workspace.Layout) { layout.reserve(.rotary, columns: columns) }

  func of(layer index: Int) -> RotaryTable { tables[indices[index]] }

  /// Fills all tables for `count` positions from `first` on.
  func fill(_ workspace: Workspace, first: Int, count: Int) {
    for table in tables { table.fill(workspace, first: first, count: count) }
  }

  func fill(_ pass: Pass) { fill(pass.workspace, first: pass.position, count: pass.tokens.count) }
}
