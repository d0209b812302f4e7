import BenchSupport
import Foundation
import GemmaKernels

/// A quantised matrix where it lies in its mapped file.
struct StoredMatrix {
  var weights: ck_matrix
  var bits: Int

  var shape: String { "q\(bits)g\(weights.group) \(weights.rows)x\(weights.columns)" }
  /// From one row to the next: codes, and scales or biases.
  var codeBytes: Int { weights.columns * bits / 8 }
  var scaleBytes: Int { weights.columns / weights.group * (weights.scale_type == .CK_F32 ? 4 : 2) }
  var bytes: Int { weights.rows * (codeBytes + 2 * scaleBytes) }
}

extension StoredMatrix {
  /// All matrices with MLX's affine codes of 4 or 8 bits in a folder, in the order of their addresses. The per-layer
  /// embeddings are left out: they are read a row at a time, and no product goes through them.
  static func all(in folder: URL) throws -> [StoredMatrix] {
    let settings = try Quantization(folder)
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "safetensors" }.sorted { $0.path < $1.path }
    let matrices = try files.flatMap { try SafetensorsFile($0).matrices(settings) }
    guard !matrices.isEmpty else { throw UsageError("\(folder.path) holds no weights of 4 or 8 bits in MLX's layout") }
    return matrices
  }
}

/// The groups of a checkpoint, from its config.json.
private struct Quantization {
  private var entries: [String: Any] = [:]

  init(_ folder: URL) throws {
    let data = try Data(contentsOf: folder.appending(path: "config.json"))
    let config = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    entries = config?["quantization"] as? [String: Any] ?? [:]
  }

  func group(of name: String) -> Int? {
    let own = entries[name] as? [String: Any]
    return (own ?? entries)["group_size"] as? Int
  }
}

/// A mapped file and the table of its tensors. The mapping lives as long as the process.
private struct SafetensorsFile {
  private struct Tensor {
    var type: String
    var shape: [Int]
    var data: UnsafeRawPointer
  }

  private var tensors: [String: Tensor] = [:]

  init(_ url: URL) throws {
    let file = try Region(contentsOf: url.path)
    let start = UnsafeRawPointer(file.base)
    guard file.bytes > 8,
      let length = Int(exactly: UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))), length < file.bytes - 8,
      let table = try JSONSerialization.jsonObject(with: Data(bytes: start + 8, count: length)) as? [String: Any]
    else { throw UsageError("\(url.path) is no safetensors file") }
    for case (let name, let entry as [String: Any]) in table {
      guard let type = entry["dtype"] as? String, let shape = entry["shape"] as? [Int],
        let offsets = entry["data_offsets"] as? [Int], offsets.count == 2,
        0 <= offsets[0], offsets[0] <= offsets[1], offsets[1] <= file.bytes - 8 - length
      else { continue }
      tensors[name] = Tensor(type: type, shape: shape, data: start + 8 + length + offsets[0])
    }
  }

  func matrices(_ settings: Quantization) -> [StoredMatrix] {
    tensors.keys.filter { $0.hasSuffix(".weight") && !$0.contains("embed_tokens_per_layer") }
      .compactMap { matrix(String($0.dropLast(".weight".count)), settings) }
      .sorted { UInt(bitPattern: $0.weights.data) < UInt(bitPattern: $1.weights.data) }
  }

  private func matrix(_ name: String, _ settings: Quantization) -> StoredMatrix? {
    guard let codes = tensors[name + ".weight"], codes.type == "U32", codes.shape.count == 2,
      let scales = tensors[name + ".scales"], scales.shape.count == 2, scales.shape[0] == codes.shape[0],
      let biases = tensors[name + ".biases"], biases.shape == scales.shape, biases.type == scales.type,
      let type = ["F32": ck_type.CK_F32, "F16": .CK_F16, "BF16": .CK_BF16][scales.type],
      let group = settings.group(of: name), [32, 64, 128].contains(group), scales.shape[1] > 0
    else { return nil }
    let columns = scales.shape[1] * group
    guard let format = [4: ck_type.CK_Q4, 8: .CK_Q8][codes.shape[1] * 32 / columns],
      codes.shape[1] * 32 % columns == 0
    else { return nil }
    return StoredMatrix(
      weights: ck_matrix(
        data: codes.data, scales: scales.data, biases: biases.data, rows: codes.shape[0], columns: columns,
        stride: columns, group: group, type: format, scale_type: type),
      bits: codes.shape[1] * 32 / columns)
  }
}
