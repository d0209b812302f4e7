package import Foundation
import GemmaJSON
package import GemmaRuntime

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
  let quantization: QuantizationSettings?
  let storage: [String: Tensor]
  private let files: [SafetensorsFile]

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
    (storage, files) = try ShardReader.read(folder)
    for (name, tensor) in storage where TensorNames.isReadByRow(name) {
      tensor.file.adviseRandom(tensor.entry.range)
    }
  }

  /// Bytes of the mapped weight files.
  package var mappedBytes: Int { files.reduce(0) { $0 + $1.file.bytes.count } }

  /// Throws where a weight file has bytes that belong to no tensor: called when the model has found all the tensors it
  /// needs, because a missing one has its own error, which names it.
  package func checkGapless() throws(GemmaError) {
    for file in files {
      if let gap = file.gap { throw .malformedFile(file.file.url, reason: "\(gap); download the file again") }
    }
  }

  /// Throws where a weight file was written to since it was opened. Called before every pass through the layers: see
  /// `MappedFile` for what cannot be caught.
  package func checkUnchanged() throws(GemmaError) {
    for file in files { try file.file.checkUnchanged() }
  }

  /// What the error about a missing tensor adds where the files have room for one.
  var gapHint: String {
    let gaps = files.compactMap { file in file.gap.map { "; in \(file.file.url.lastPathComponent), \($0)" } }
    return (gaps.first ?? "") + "; download the model again"
  }

  /// Whether a tensor of this full, prefix-free name is stored, such as "layers.0.self_attn.k_proj.weight".
  package func contains(_ name: String) -> Bool { storage[name] != nil }
}
