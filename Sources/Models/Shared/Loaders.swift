import Tensors
import Weights

/// Reads the weights that a model has once.
struct ModelLoader {
  let checkpoint: Checkpoint
  let rotaryIndices: [Int]

  var model: ModelConfiguration { checkpoint.configuration }

  func matrix(_ name: String, _ rows: Int, _ columns: Int) throws(GemmaError) -> WeightMatrix {
    try checkpoint.matrix(name, rows: rows, columns: columns)
  }

  /// A norm's weight, in the convention of the architecture: Gemma 3 multiplies by 1 + w, its successors by w.
  func norm(_ name: String, _ width: Int) throws(GemmaError) -> RMSNorm {
    let shift: Float = model.architecture == .gemma3 ? 1 : 0
    let weight = try checkpoint.vector(name + ".weight", count: width, shift: shift)
    return RMSNorm(weight: weight, width: width, epsilon: model.rmsNormEpsilon)
  }
}

/// Reads the weights of one layer.
struct LayerLoader {
  let loader: ModelLoader
  let index: Int

  var model: ModelConfiguration { loader.model }
  var rotaryIndices: [Int] { loader.rotaryIndices }
  var checkpoint: Checkpoint { loader.checkpoint }

  func name(_ part: String) -> String { "layers.\(index).\(part)" }

  func matrix(_ part: String, _ rows: Int, _ columns: Int) throws(GemmaError) -> WeightMatrix {
    try loader.matrix(name(part), rows, columns)
  }

  func norm(_ part: String, _ width: Int) throws(GemmaError) -> RMSNorm {
    try loader.norm(name(part), width)
  }
}
