package import Foundation
import GemmaJSON
package import GemmaRuntime

/// A model folder: its checked configuration and its tensors, mapped and never copied.
package final class Checkpoint: Sendable {
  package let url: URL
  package let configuration: ModelConfiguration
  package let generation: GenerationDefaults
  let quantization: QuantizationSettings?
  let store: TensorStore
  /// In the order in which they are asked for a matrix; what none of them claims is plain.
  let layouts: [any WeightLayout]

  /// Opens a folder with config.json, optionally generation_config.json, and model.safetensors or
  /// model.safetensors.index.json with its shards.
  /// - Throws: `.modelNotFound` where a file is missing, `.malformedFile`, `.unsupportedModel`, `.fileAccess`.
  package convenience init(at folder: URL) throws(GemmaError) {
    try self.init(at: folder, parse: ConfigurationParser.parse)
  }

  /// The same with another reading of config.json.
  init(at folder: URL, parse: (JSONFields) throws(GemmaError) -> ModelConfiguration) throws(GemmaError) {
    guard let kind = try MappedFile.kind(at: folder) else {
      throw .modelNotFound(folder, reason: "there is no such folder")
    }
    guard kind == S_IFDIR else {
      throw .modelNotFound(folder, reason: "it is a file; give the folder that holds config.json and the weights")
    }
    let config = folder.appendingPathComponent("config.json")
    guard try MappedFile.kind(at: config) != nil else {
      throw .modelNotFound(folder, reason: "the folder has no config.json")
    }
    let fields = try JSONFields(file: config)
    url = folder
    configuration = try parse(fields)
    quantization = try QuantizationSettings(fields)
    let generationFile = folder.appendingPathComponent("generation_config.json")
    let hasGeneration = FileManager.default.fileExists(atPath: generationFile.path)
    generation = try GenerationDefaults(
      generation: hasGeneration ? JSONFields(file: generationFile) : nil, configuration: fields)
    layouts = [MLXAffineLayout(settings: quantization)]
    store = try ShardReader.read(folder)
    for (name, tensor) in store.tensors where TensorNames.isReadByRow(name) {
      tensor.file.adviseRandom(tensor.range)
    }
  }

  /// Bytes of the mapped weight files.
  package var mappedBytes: Int { store.containers.reduce(0) { $0 + $1.file.bytes.count } }

  /// Throws where a weight file has bytes that belong to no tensor: called when the model has found all the tensors it
  /// needs, because a missing one has its own error, which names it.
  package func checkGapless() throws(GemmaError) {
    for container in store.containers {
      if let gap = container.gap {
        throw .malformedFile(container.file.url, reason: "\(gap); download the file again")
      }
    }
  }

  /// Throws where a weight file was written to since it was opened. Called before every pass: see
  /// `MappedFile` for what cannot be caught.
  package func checkUnchanged() throws(GemmaError) {
    for container in store.containers { try container.file.checkUnchanged() }
  }
}
