import Foundation
import GemmaKernels
import GemmaWeights

/// Cosines and sines of rotary position embedding for the positions of a chunk, one table per kind of layer.
struct RotaryTable: Sendable {
  /// Angle per position of each pair (k, k + D/2): theta^(-2k/D) / factor for the pairs that turn, else 0.
  /// The exponent divides by the whole head size D, also where only some pairs turn (proportional RoPE).
  let frequencies: [Float]
  /// Floats per chunk row in front of this table.
  let column: Int

  /// The tables of a model, and for each layer the index of its own.
  static func tables(_ model: ModelConfiguration) -> (tables: [RotaryTable], indices: [Int]) {
    var tables: [RotaryTable] = []
    let indices = model.layers.map { layer in
      let frequencies = frequencies(layer)
      if let known = tables.firstIndex(where: { $0.frequencies == frequencies }) { return known }
      let column = tables.reduce(0) { $0 + 2 * $1.frequencies.count }
      tables.append(RotaryTable(frequencies: frequencies, column: column))
      return tables.count - 1
    }
    return (tables, indices)
  }

  /// Floats per chunk row that all tables of a model take.
  static func columns(_ model: ModelConfiguration) -> Int {
    tables(model).tables.reduce(0) { $0 + 2 * $1.frequencies.count }
  }

  private static func frequencies(_ layer: LayerConfiguration) -> [Float] {
    let dimension = layer.headDimension
    return (0..<dimension / 2).map { pair in
      guard pair < layer.rotary.rotatedPairs else { return 0 }
      let exponent = -2 * Double(pair) / Double(dimension)
      return Float(pow(Double(layer.rotary.theta), exponent) / Double(layer.rotary.linearFactor))
    }
  }

  /// Fills the table for `count` positions from `first` on. Cosines [chunk, D/2], then sines [chunk, D/2].
  func fill(_ workspace: Workspace, first: Int, count: Int) {
    ck_rope_table(cosines(workspace, 0), sines(workspace, 0), frequencies, frequencies.count, first, count)
  }

  func cosines(_ workspace: Workspace, _ row: Int) -> UnsafeMutablePointer<Float> {
    workspace.base(.rotary) + workspace.chunk * column + row * frequencies.count
  }

  func sines(_ workspace: Workspace, _ row: Int) -> UnsafeMutablePointer<Float> {
    cosines(workspace, row) + workspace.chunk * frequencies.count
  }
}
