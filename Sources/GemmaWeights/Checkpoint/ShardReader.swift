import Foundation
import GemmaJSON
import GemmaRuntime

/// Collects the tensors of a folder under their prefix-free names.
enum ShardReader {
  static func read(_ folder: URL) throws(GemmaError) -> TensorStore {
    var tensors: [String: StoredTensor] = [:]
    var containers: [Container] = []
    for (file, wanted) in try shards(folder) {
      let url = folder.appendingPathComponent(file)
      guard FileManager.default.fileExists(atPath: url.path) else {
        throw .modelNotFound(folder, reason: "the weight file \(file) is missing")
      }
      let shard = try Container(contentsOf: url)
      containers.append(shard)
      for name in wanted ?? Array(shard.tensors.keys) {
        guard let tensor = shard.tensors[name] else {
          throw .malformedFile(url, reason: "tensor \"\(name)\" is missing, though the index places it here")
        }
        let canonical = TensorNames.canonical(name)
        if let other = tensors.updateValue(tensor, forKey: canonical) {
          throw .malformedFile(url, reason: "\"\(name)\" and \"\(other.name)\" are the same tensor")
        }
      }
    }
    return TensorStore(url: folder, tensors: tensors, containers: containers)
  }

  /// File names with the tensors to take from each; nil for all of them.
  private static func shards(_ folder: URL) throws(GemmaError) -> [(file: String, names: [String]?)] {
    let index = folder.appendingPathComponent("model.safetensors.index.json")
    guard FileManager.default.fileExists(atPath: index.path) else { return [("model.safetensors", nil)] }
    let fields = try JSONFields(file: index)
    guard let map = try fields.object("weight_map") else { throw fields.mismatch("weight_map", expected: "an object") }
    var shards: [String: [String]] = [:]
    for name in map.members.keys {
      guard let file = try map.string(name), file.hasSuffix(".safetensors"), !file.contains("/"), !file.contains("\0")
      else { throw map.mismatch(name, expected: "the name of a safetensors file in this folder") }
      shards[file, default: []].append(name)
    }
    return shards.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
