package import Foundation
import GemmaJSON
import GemmaRuntime

/// Writes a MatFormer slice of a checkpoint folder as a folder of its own, quantised or not, towers included.
package struct CheckpointSlicer: Sendable {
  package struct Summary: Sendable, Hashable {
    package let layers: Int
    /// Bytes of the weights before and after.
    package let bytesRead: Int
    package let bytesWritten: Int
    /// Whether widths were rescaled, in words.
    package let rescaling: String?
  }

  private let slice: MatFormerSlice

  package init(_ slice: MatFormerSlice) { self.slice = slice }

  /// Slices `source` into the new folder `destination`, which takes its name as the last step.
  /// - Parameters:
  ///   - progress: told the share done, 0 to 1, a few times per second or so.
  ///   - shouldStop: asked as often; true ends the work with `CancellationError`.
  /// - Throws: `.unsupportedSlice`; `.fileAccess` of `destination` where writing fails and of other files where reading
  ///   does; the errors of `Checkpoint`.
  package func run(
    from source: URL, to destination: URL, progress: (Double) -> Void = { _ in }, shouldStop: () -> Bool = { false }
  ) throws -> Summary {
    let checkpoint = try Checkpoint(at: source)
    let sliced = try slice.apply(to: checkpoint.configuration)
    let config = try JSONFields(file: source.appendingPathComponent("config.json"))
    try checkpoint.checkGapless()
    let map = SliceMap(sliced, of: checkpoint.configuration)
    let tensors = try tensors(checkpoint, map)
    let folder = try PartialFolder(for: destination)
    do {
      let written = try write(
        tensors, to: folder.file("model.safetensors"), format: checkpoint.quantization == nil ? "pt" : "mlx",
        progress: progress, shouldStop: shouldStop)
      try folder.write(config: self.config(config, sliced, map))
      try folder.copyCompanions(of: source)
      if shouldStop() { throw CancellationError() }
      try folder.commit()
      progress(1)
      return Summary(
        layers: sliced.layers.count, bytesRead: checkpoint.mappedBytes, bytesWritten: written,
        rescaling: slice.rescaling(to: checkpoint.configuration))
    } catch {
      folder.discard()
      throw error
    }
  }

  private func tensors(_ checkpoint: Checkpoint, _ map: SliceMap) throws(GemmaError) -> [SlicedTensor] {
    var tensors: [SlicedTensor] = []
    for (name, tensor) in checkpoint.store.tensors.sorted(by: { $0.key < $1.key }) {
      guard let part = map.part(of: name) else { continue }
      guard let sliced = SlicedTensor(tensor, name: name, part) else {
        let parts = name.split(separator: ".")
        throw slice.refused(
          parts.first == "layers" ? Int(parts[1]) : nil,
          "tensor \"\(name)\" of the shape \(tensor.shape) cannot be cut there without splitting a group")
      }
      tensors.append(sliced)
    }
    return tensors
  }

  private func write(
    _ tensors: [SlicedTensor], to file: OutputFile, format: String, progress: (Double) -> Void, shouldStop: () -> Bool
  ) throws -> Int {
    var header = SafetensorsHeader(format: format)
    for tensor in tensors { header.add(tensor.name, tensor.source.type, tensor.shape) }
    var end = header.bytes.count
    let total = end + header.dataBytes
    try file.write(header.bytes, at: 0)
    for tensor in tensors {
      try tensor.forEachBuffer { buffer in
        if shouldStop() { throw CancellationError() }
        try file.write(buffer, at: end)
        end += buffer.count
        progress(Double(end) / Double(total))
      }
    }
    try file.synchronize()
    return total
  }

  /// The file's config with the text model's layers replaced and quantisation exceptions renumbered.
  private func config(_ file: JSONFields, _ sliced: ModelConfiguration, _ map: SliceMap) -> JSONObject {
    var members = file.members
    if case .object(let text)? = members["text_config"] {
      members["text_config"] = .object(self.text(text, sliced))
    } else {
      members = text(members, sliced)
    }
    for key in ["quantization", "quantization_config"] {
      guard case .object(let block)? = members[key] else { continue }
      var renamed = JSONObject()
      for (module, value) in block {
        let name = TensorNames.canonical(module)
        if let part = map.part(of: name) { renamed[String(module.dropLast(name.count)) + part.name] = value }
      }
      members[key] = .object(renamed)
    }
    return members
  }

  private func text(_ members: JSONObject, _ sliced: ModelConfiguration) -> JSONObject {
    var text = members
    let layers = sliced.layers
    text["num_hidden_layers"] = .integer(layers.count)
    text["num_kv_shared_layers"] = .integer(layers.count - sliced.firstSharedLayer)
    text["intermediate_size"] = .array(layers.map { .integer($0.feedForwardWidth) })
    text["layer_types"] = .array(
      layers.map { .string($0.kind == .full ? "full_attention" : "sliding_attention") })
    text["activation_sparsity_pattern"] = .array(
      layers.map { JSONNumber($0.activationSparsity).map { .number($0) } ?? .null })
    return text
  }
}
