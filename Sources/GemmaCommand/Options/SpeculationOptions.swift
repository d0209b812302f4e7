import Foundation
import Gemma
import GemmaModels
import GemmaWeights

/// The options of commands that can draft.
enum SpeculationOptions {
  static let drafterSpec = OptionSpec(
    "drafter", value: "FOLDER|SLICE|none",
    "what drafts: a Gemma 4 drafter, a slice of a Gemma 3n model, or earlier text alone (default: the model's "
      + "folder drafter/, if any)")
  static let specs = [
    drafterSpec,
    OptionSpec(
      "speculation", value: "off|auto|N",
      "drafts in each pass, 1 to 8, or as many as pay; never changes the text (default: auto, in bench off unless "
        + "--drafter is given)"),
  ]

  /// nil where nothing is said.
  static func speculation(_ arguments: Arguments) throws -> GenerationOptions.Speculation? {
    guard let text = arguments.string("speculation") else { return nil }
    switch text {
    case "off": return .off
    case "auto": return .automatic
    default:
      guard let count = Int(text), (1...DraftedRound.longestDraft).contains(count) else {
        throw UsageError("--speculation is off, auto or 1 to 8, not \"\(text)\"")
      }
      return .draft(tokens: count)
    }
  }

  /// The drafter that was asked for, or the one that lies in the model's folder; of the latter's faults only stderr
  /// hears. There is memory for it within the limit.
  static func drafter(_ arguments: Arguments, _ model: GemmaModel) async throws -> GemmaDrafter? {
    guard try speculation(arguments) != .off else { return nil }
    if let name = arguments.string("drafter") {
      let drafter = try await named(name, model)
      if let drafter { try checkMemory(model, drafter) }
      return drafter
    }
    guard model.info.architecture == "gemma4", let folder = bundled(model) else { return nil }
    do {
      let drafter = try await GemmaDrafter(at: folder, for: model)
      // Where even the model lacks memory, that is what there is to say, and it will be said.
      if model.plan.poolBytes <= Memory.memoryLimit { try checkMemory(model, drafter) }
      return drafter
    } catch let error as GemmaError {
      return skip(error.localizedDescription, arguments)
    } catch let failure as CommandFailure {
      return skip(failure.message, arguments)
    }
  }

  static let bundledName = "drafter"

  /// The folder `drafter` inside the model's, if there is one.
  static func bundled(_ model: GemmaModel) -> URL? {
    let folder = model.loaded.checkpoint.url.appending(path: bundledName)
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
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

  private static func skip(_ reason: String, _ arguments: Arguments) -> GemmaDrafter? {
    if !arguments.has("quiet") { Console.error("gemma: going on without the model's own drafter: \(reason)") }
    return nil
  }

  /// Nil for `none`.
  private static func named(_ name: String, _ model: GemmaModel) async throws -> GemmaDrafter? {
    if name == "none" { return nil }
    guard !name.isEmpty else { throw UsageError("--drafter needs a folder, the name of a slice, or none") }
    // A slice's name goes before a folder of that name.
    let exists = FileManager.default.fileExists(atPath: name)
    let isKnown = (try? MatFormerSlice(named: name)) != nil || name.lowercased().contains(".csv:")
    let isPath = name.hasPrefix("/") || name.hasPrefix(".")
    if model.info.architecture == "gemma3n" ? isKnown || (!isPath && !exists) : isKnown && !exists {
      return try GemmaDrafter(slicing: model, to: SharedOptions.slice(name))
    }
    return try await GemmaDrafter(at: URL(filePath: name), for: model)
  }
}
