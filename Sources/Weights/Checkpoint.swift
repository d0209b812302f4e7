package import Foundation
package import Tensors

/// A model folder: its checked configuration and its tensors, mapped and never copied.
package final class Checkpoint: Sendable {
  struct Tensor: Sendable {
    let file: MappedFile
    let entry: SafetensorsFile.Entry
    let storedName: String
  }

  package let url: URL
  package let configuration: ModelConfiguration
  package let generation: GenerationDefaults
  /// Bytes of the mapped weight files.
  package let mappedBytes: Int
  let quantization: QuantizationSettings?
  let storage: [String: Tensor]

  /// Opens a folder with config.json, optionally generation_config.json, and model.safetensors or
  /// model.safetensors.index.json with its shards.
  /// - Throws: `.modelNotFound` where a file is missing, `.malformedFile`, `.unsupportedModel`, `.fileAccess`.
  package init(at folder: URL) throws(GemmaError) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
      throw .modelNotFound(folder, reason: "there is no such folder")
    }
    let config = folder.appendingPathComponent("config.json")
    guard FileManager.default.fileExists(atPath: config.path) else {
      throw .modelNotFound(folder, reason: "the folder has no config.json")
    }
    let fields = try JSONFields(file: config)
    url = folder
    configuration = try ConfigurationParser.parse(fields)
    quantization = try QuantizationSettings(fields)
    let generationFile = folder.appendingPathComponent("generation_config.json")
    let hasGeneration = FileManager.default.fileExists(atPath: generationFile.path)
    generation = try GenerationDefaults(
      generation: hasGeneration ? JSONFields(file: generationFile) : nil, configuration: fields)
    (storage, mappedBytes) = try ShardReader.read(folder)
    for (name, tensor) in storage where TensorNames.isReadByRow(name) {
      tensor.file.adviseRandom(tensor.entry.range)
    }
  }

  /// Whether a tensor of this full, prefix-free name is stored, such as "layers.0.self_attn.k_proj.weight".
  package func contains(_ name: String) -> Bool { storage[name] != nil }

  /// All stored tensors by name, those of towers included.
  package var tensors: [TensorInfo] {
    storage.map { name, tensor in
      TensorInfo(
        name: name, type: tensor.entry.type.rawValue, shape: tensor.entry.shape,
        byteCount: tensor.entry.range.count, fileName: tensor.file.url.lastPathComponent)
    }
    .sorted { $0.name < $1.name }
  }
}
