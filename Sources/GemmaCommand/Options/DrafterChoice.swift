import Foundation
import Gemma

/// The drafter that a command line asks for.
enum DrafterChoice {
  case without
  /// A folder or a slice; which of them hangs on the model.
  case named(String)

  static var option: Option<DrafterChoice> {
    Option(
      "drafter", .drafter, "FOLDER|SLICE|none",
      "what drafts: a Gemma 4 drafter, a slice of a Gemma 3n model, or earlier text alone (default: the model's "
        + "folder drafter/, if any)")
  }

  /// The drafter that was asked for, or the one that lies in the model's folder; of the latter's faults only stderr
  /// hears. There is memory for it within the limit.
  static func drafter(
    _ choice: DrafterChoice?, for model: GemmaModel, _ shared: Arguments<SharedOptions>
  ) async throws -> GemmaDrafter? {
    switch choice {
    case .without: return nil
    case .named(let name):
      let drafter = try await named(name, model)
      try checkMemory(model, drafter)
      return drafter
    case nil: return try await bundled(model, shared)
    }
  }

  private static func bundled(_ model: GemmaModel, _ shared: Arguments<SharedOptions>) async throws -> GemmaDrafter? {
    guard model.info.architecture == "gemma4", let folder = BundledDrafter.folder(of: model) else { return nil }
    func skip(_ reason: String) { shared.warn("gemma: going on without the model's own drafter: \(reason)") }
    do {
      let drafter = try await GemmaDrafter(at: folder, for: model)
      // Where even the model lacks memory, that is what there is to say, and it will be said.
      if model.plan.poolBytes <= Memory.memoryLimit { try checkMemory(model, drafter) }
      return drafter
    } catch let error as GemmaError {
      skip(error.localizedDescription)
    } catch let failure as CommandFailure {
      skip(failure.message)
    }
    return nil
  }

  private static func checkMemory(_ model: GemmaModel, _ drafter: GemmaDrafter) throws(CommandFailure) {
    let required = model.plan(with: drafter).poolBytes
    guard required > Memory.memoryLimit else { return }
    throw CommandFailure(
      code: .failure,
      message:
        "with the drafter \(required) bytes are needed, but the memory limit is \(Memory.memoryLimit); raise it, "
        + "lower --context-length, or draft without: --drafter none")
  }

  private static func named(_ name: String, _ model: GemmaModel) async throws -> GemmaDrafter {
    // A slice's name goes before a folder of that name.
    let exists = FileManager.default.fileExists(atPath: name)
    let isKnown = (try? MatFormerSlice(named: name)) != nil || name.lowercased().contains(".csv:")
    let isPath = name.hasPrefix("/") || name.hasPrefix(".")
    if model.info.architecture == "gemma3n" ? isKnown || (!isPath && !exists) : isKnown && !exists {
      return try GemmaDrafter(slicing: model, to: MatFormerSlice(argument: name))
    }
    return try await GemmaDrafter(at: URL(filePath: name), for: model)
  }
}

extension OptionValue where Value == DrafterChoice {
  static var drafter: OptionValue {
    OptionValue { text, option in
      if text == "none" { return .without }
      guard !text.isEmpty else { throw UsageError("--\(option) needs a folder, the name of a slice, or none") }
      return .named(text)
    }
  }
}

/// The drafter inside a model's folder.
enum BundledDrafter {
  static let folderName = "drafter"

  /// Nil where there is none.
  static func folder(of model: GemmaModel) -> URL? { folder(in: model.url) }

  static func folder(in model: URL) -> URL? {
    let folder = model.appending(path: folderName)
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }
}
