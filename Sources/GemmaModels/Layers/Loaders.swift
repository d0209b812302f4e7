import GemmaKernels
import GemmaRuntime
import GemmaWeights

/// Reads the weights that a model has once, and notes what its parts reserve of a workspace.
final class ModelLoader {
  let checkpoint: Checkpoint
  /// What is loaded: the checkpoint's model, or the slice of it.
  let model: ModelConfiguration
  let slice: MatFormerSlice
  let conventions: LayerConventions
  var layout = Workspace.Layout()
  let rotary: RotaryTables

  init(
    _ checkpoint: Checkpoint, _ model: ModelConfiguration, slice: MatFormerSlice = .full, conventions: LayerConventions
  ) {
    self.checkpoint = checkpoint
    self.model = model
    self.slice = slice
    self.conventions = conventions
    rotary = RotaryTables(model)
    rotary.reserve(&layout)
  }

  /// What the files hold.
  var stored: ModelConfiguration { checkpoint.configuration }

  /// A matrix for products.
  func matrix(_ name: String, _ rows: Int, _ columns: Int) throws(GemmaError) -> WeightMatrix {
    layout.reserveActivations(columns: columns)
    return try checkpoint.matrix(name, rows: rows, columns: columns)
  }

  /// A matrix of which rows are read and nothing else.
  func table(_ name: String, _ rows: Int, _ columns: Int) throws(GemmaError) -> WeightMatrix {
    try checkpoint.matrix(name, rows: rows, columns: columns)
  }

  func norm(_ name: String, _ width: Int) throws(GemmaError) -> RMSNorm {
    let weight = try checkpoint.vector(name + ".weight", count: width, shift: conventions.normShift)
    return RMSNorm(weight: weight, width: width, epsilon: model.rmsNormEpsilon)
  }

  /// All layers, as `make` reads one.
  func layers<Layer>(_ make: (LayerLoader) throws(GemmaError) -> Layer) throws(GemmaError) -> [Layer] {
    var layers: [Layer] = []
    for index in model.layers.indices { layers.append(try make(LayerLoader(shared: self, index: index))) }
    return layers
  }
}

/// Reads the weights of one layer.
struct LayerLoader {
  let shared: ModelLoader
  /// The layer's number in what is loaded.
  let index: Int

  var model: ModelConfiguration { shared.model }
  var checkpoint: Checkpoint { shared.checkpoint }
  var conventions: LayerConventions { shared.conventions }

  /// The layer's number in the files, which a slice does not change.
  var storedIndex: Int { model.layers[index].storedIndex }

  func name(_ part: String) -> String { "layers.\(storedIndex).\(part)" }

  func matrix(_ part: String, _ rows: Int, _ columns: Int) throws(GemmaError) -> WeightMatrix {
    try shared.matrix(name(part), rows, columns)
  }

  func norm(_ part: String, _ width: Int) throws(GemmaError) -> RMSNorm {
    try shared.norm(name(part), width)
  }

  /// The first rows of a matrix [F, H] that has one for each feed-forward unit: all of them outside a slice.
  func unitRows(_ part: String) throws(GemmaError) -> WeightMatrix {
    let layer = model.layers[index]
    return try matrix(part, shared.stored.layers[storedIndex].feedForwardWidth, model.hiddenSize)
      .part(rows: 0..<layer.feedForwardWidth, columns: model.hiddenSize)
  }

  /// The first columns of a matrix [H, F] that has one for each feed-forward unit.
  func unitColumns(_ part: String) throws(GemmaError) -> WeightMatrix {
    let width = model.layers[index].feedForwardWidth
    let whole = try checkpoint.matrix(
      name(part), rows: model.hiddenSize, columns: shared.stored.layers[storedIndex].feedForwardWidth)
    shared.layout.reserveActivations(columns: width)
    guard width % whole.columnStep == 0 else {
      throw shared.slice.refused(
        storedIndex, "a width of \(width) splits a group of \(whole.columnStep) quantised weights")
    }
    return whole.part(rows: 0..<model.hiddenSize, columns: width)
  }
}
