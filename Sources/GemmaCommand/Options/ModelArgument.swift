import Foundation
import Gemma
import GemmaDemoModel

/// The model that a command line names: a folder, or a bundled one.
enum ModelArgument {
  /// The folder behind a model's name.
  static func folder(_ name: String) throws -> URL {
    guard !name.isEmpty else { throw UsageError("the model's name is empty; give a folder or demo") }
    if let demo = DemoModel(rawValue: name) {
      guard let folder = demo.folder else {
        throw GemmaError.modelNotFound(
          URL(filePath: name),
          reason:
            "the demo's resource folder is not beside the executable; keep swift-gemma_GemmaDemoModel.resources with it"
        )
      }
      return folder
    }
    if name.hasSuffix(".gguf") {
      guard FileManager.default.fileExists(atPath: name) else {
        throw GemmaError.modelNotFound(URL(filePath: name), reason: "there is no such file")
      }
      throw GemmaError.unsupportedModel("GGUF files are not read yet; give a folder with safetensors")
    }
    var status = stat()
    if stat(name, &status) != 0, errno == ENOENT {
      throw GemmaError.modelNotFound(
        URL(filePath: name),
        reason: "there is no such folder; models are not downloaded, give one that is there, or demo")
    }
    return URL(filePath: name)
  }

  /// Loads a model with the shared options, or with `options` made of them.
  static func load(
    _ name: String, _ shared: Arguments<SharedOptions>, options: GemmaModel.Options? = nil
  ) async throws -> GemmaModel {
    let options = try options ?? shared.apply()
    let line = ProgressLine(shared)
    defer { line.clear() }
    let model = try await GemmaModel(at: folder(name), options: options) { progress in
      line.show("Loading: \(progress.stage.rawValue)")
    }
    line.clear()
    let known = model.info.maximumPositions
    if let wanted = try shared[\.contextLength], wanted > known {
      shared.warn(
        "gemma: a context of \(wanted) tokens; the model knows \(known) positions and may ramble beyond them")
    }
    return model
  }
}
