package import Foundation
package import GemmaRuntime

/// A drafter's folder: its checked configuration and its tensors, mapped and never copied.
package struct DrafterCheckpoint: Sendable {
  /// Its `configuration` is that of the drafter's layers.
  package let checkpoint: Checkpoint
  package let configuration: DrafterConfiguration

  /// Opens a folder laid out like that of a model.
  /// - Throws: `.modelNotFound` where a file is missing, `.malformedFile`, `.unsupportedModel`, `.fileAccess`.
  package init(at folder: URL) throws(GemmaError) {
    var parsed: DrafterConfiguration?
    checkpoint = try Checkpoint(at: folder) { (fields) throws(GemmaError) in
      let configuration = try DrafterConfiguration(fields)
      parsed = configuration
      return configuration.layers
    }
    guard let parsed else { throw .modelNotFound(folder, reason: "the configuration was not read") }
    configuration = parsed
  }
}
