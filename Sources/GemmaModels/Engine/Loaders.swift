import GemmaKernels
import GemmaRuntime
import GemmaWeights

/// Reads the weights that a model has once.
struct ModelLoader {
  let checkpoint: Checkpoint
  /// What is loaded: the checkpoint's model, or the slice of it.
  let model: ModelConfiguration
  let slice: MatFormerSlice
  let rotaryIndices: [Int]

  /// What the files hold.
  var stored: ModelConfiguration { checkpoint.configuration }

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

  /// The layer's number in the files, which a slice does not change.
  var storedIndex: Int { model.layers[index].storedIndex }

  func name(_ part: String) -> String { "layers.\(storedIndex).\(part)" }

  func matrix(_ part: String, _ rows: Int, _ columns: Int) throws(GemmaError) -> WeightMatrix {
    try loader.matrix(name(part), rows, columns)
  }

  func norm(_ part: String, _ width: Int) throws(GemmaError) -> RMSNorm {
    try loader.norm(name(part), width)
  }

  /// The first rows of a matrix [F, H] that has one for each feed-forward unit: all of them outside a slice.
  func unitRows(_ part: String) throws(GemmaError) -> WeightMatrix {
    let layer = model.layers[index]
    return try matrix(part, loader.stored.layers[storedIndex].feedForwardWidth, model.hiddenSize)
      .part(rows: 0..<layer.feedForwardWidth, columns: model.hiddenSize)
  }

  /// The first columns of a matrix [H, F] that has one for each feed-forward unit.
  func unitColumns(_ part: String) throws(GemmaError) -> WeightMatrix {
    let width = model.layers[index].feedForwardWidth
    let whole = try matrix(part, model.hiddenSize, loader.stored.layers[storedIndex].feedForwardWidth)
    guard width % whole.columnStep == 0 else {
      throw loader.slice.refused(
        storedIndex, "a width of \(width) splits a group of \(whole.columnStep) quantised weights")
    }
    return whole.part(rows: 0..<model.hiddenSize, columns: width)
  }
}
