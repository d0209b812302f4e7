import GemmaRuntime

/// What becomes of each tensor of a checkpoint, and where it will lie in the written file.
struct QuantizationPlan {
  enum Step {
    /// Copied byte by byte.
    case copy
    /// Codes at the item's own offset, scales and biases at these.
    case quantize(scales: Int, biases: Int)
  }

  struct Item {
    let source: StoredTensor
    let name: String  // as written
    let step: Step
    let offset: Int  // within the data part of the new file
  }

  private(set) var items: [Item] = []
  /// Written paths of linear modules that stay as they are.
  private(set) var keptModules: [String] = []
  private(set) var header = SafetensorsHeader(format: "mlx")

  private static let textRoots = ["layers.", "embed_tokens", "per_layer_", "altup_", "norm."]
  /// Small and read by AltUp in each layer: their error would reach every stream.
  private static let neverQuantized = ["modality_router", "prediction_coefs", "correction_coefs"]

  init(_ checkpoint: Checkpoint, _ quantizer: AffineQuantizer, wrapped: Bool, keeps: (String) -> Bool) {
    for (name, tensor) in checkpoint.store.tensors.sorted(by: { $0.key < $1.key }) where name != "lm_head.weight" {
      let isText = Self.textRoots.contains { name.hasPrefix($0) }
      let path = isText ? (wrapped ? "language_model.model." : "model.") + name : name
      let shape = tensor.shape
      guard isText, shape.count == 2, name.hasSuffix(".weight"), tensor.type.kernelType != nil else {
        add(path, tensor, .copy, [(path, tensor.type, shape)])
        continue
      }
      let module = String(name.dropLast(".weight".count))
      let writtenModule = String(path.dropLast(".weight".count))
      if shape[1] % quantizer.group != 0 || Self.neverQuantized.contains(where: module.hasSuffix) || keeps(module) {
        keptModules.append(writtenModule)
        add(path, tensor, .copy, [(path, tensor.type, shape)])
        continue
      }
      let codeBytes = tensor.elementCount * quantizer.bits / 8
      let parts = MLXAffineLayout.Parts(writtenModule, rows: shape[0], columns: shape[1], quantizer.scheme)
      let scaleBytes = parts.scaleShape.reduce(tensor.type.byteCount, *)
      let step = Step.quantize(
        scales: header.dataBytes + codeBytes, biases: header.dataBytes + codeBytes + scaleBytes)
      add(
        path, tensor, step,
        [
          (parts.codes, .u32, parts.codeShape), (parts.scales, tensor.type, parts.scaleShape),
          (parts.biases, tensor.type, parts.scaleShape),
        ])
    }
  }

  private mutating func add(
    _ name: String, _ tensor: StoredTensor, _ step: Step, _ written: [(String, ElementType, [Int])]
  ) {
    items.append(Item(source: tensor, name: name, step: step, offset: header.dataBytes))
    for (name, type, shape) in written { header.add(name, type, shape) }
  }
}
