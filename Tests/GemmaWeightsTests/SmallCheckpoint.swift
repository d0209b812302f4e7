import Foundation
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights

/// Writes tiny model folders, whole or damaged.
enum SmallCheckpoint {
  /// A safetensors file: length, header, data.
  static func safetensors(header: String, data: Data, claimedLength: UInt64? = nil) -> Data {
    let length = claimedLength ?? UInt64(header.utf8.count)
    return withUnsafeBytes(of: length.littleEndian) { Data($0) } + Data(header.utf8) + data
  }

  static let header = """
    {"__metadata__":{"format":"pt"},\
    "model.norm.weight":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]},\
    "model.embed_tokens.weight":{"dtype":"U32","shape":[2,4],"data_offsets":[8,40]},\
    "model.embed_tokens.scales":{"dtype":"F16","shape":[2,1],"data_offsets":[40,44]},\
    "model.embed_tokens.biases":{"dtype":"F16","shape":[2,1],"data_offsets":[44,48]},\
    "model.layers.0.layer_scalar":{"dtype":"F16","shape":[],"data_offsets":[48,50]}}
    """

  /// 50 bytes for `header`; the scalar is 1.5 as float16.
  static let data = Data((0..<48).map { UInt8($0) } + [0x00, 0x3E])

  static let config = """
    {"model_type":"gemma4_text","vocab_size":2,"hidden_size":32,"hidden_size_per_layer_input":0,\
    "intermediate_size":64,"num_hidden_layers":2,"num_attention_heads":2,"num_key_value_heads":1,"head_dim":16,\
    "global_head_dim":32,"sliding_window":8,"layer_types":["sliding_attention","full_attention"],\
    "quantization":{"group_size":32,"bits":4}}
    """

  static func write(config: String = config, weights: Data? = nil, to folder: URL) throws {
    try Data(config.utf8).write(to: folder.appending(path: "config.json"))
    let weights = weights ?? safetensors(header: header, data: data)
    try weights.write(to: folder.appending(path: "model.safetensors"))
  }

  /// Opens a folder with these files and hands back the error, or nil where it opens.
  static func failure(config: String = config, weights: Data? = nil) throws -> GemmaError? {
    try Fixtures.withTemporaryFolder { folder in
      try write(config: config, weights: weights, to: folder)
      do throws(GemmaError) {
        _ = try Checkpoint(at: folder)
        return nil
      } catch {
        return error
      }
    }
  }

  /// The configuration of a fixture whose text was changed.
  static func configuration(_ config: String) throws -> ModelConfiguration {
    try Fixtures.withTemporaryFolder { folder in
      try write(config: config, to: folder)
      return try Checkpoint(at: folder).configuration
    }
  }
}
