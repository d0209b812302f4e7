public import Foundation
import GemmaModels
public import GemmaRuntime
import GemmaWeights

/// Bytes that a model, with or without a drafter, and one context of it need.
public struct MemoryPlan: Sendable, Hashable, Codable {
  /// Tokens the context holds.
  public let contextLength: Int
  /// Weight files, a drafter's too, mapped read-only: clean pages that the system can drop, not counted in `Memory`.
  public let mappedBytes: Int
  /// Key and value caches, from the pool.
  public let keyValueBytes: Int
  /// Activations and scratch of the model, from the pool.
  public let workspaceBytes: Int
  /// What the drafter takes from the pool; 0 without one.
  public let drafterBytes: Int

  /// What the pool needs.
  public var poolBytes: Int { keyValueBytes + workspaceBytes + drafterBytes }

  init(_ model: LoadedModel, _ options: GemmaModel.Options, _ drafter: GemmaDrafter?) {
    contextLength = options.contextLength(for: model.configuration)
    let plan = model.plan(contextLength: contextLength, options: options.compute)
    mappedBytes = model.checkpoint.mappedBytes + (drafter?.mappedBytes ?? 0)
    keyValueBytes = plan.keyValueBytes
    workspaceBytes = plan.workspaceBytes
    drafterBytes = drafter?.workspaceBytes(contextLength: contextLength) ?? 0
  }
}

extension GemmaModel {
  /// The memory that one context of a model needs, before anything is loaded: reads headers only, and of a drafter with
  /// clusters their list of pieces.
  /// - Parameters:
  ///   - url: The model's folder.
  ///   - options: Those it is to be loaded with.
  ///   - drafter: The folder of a drafter that is to draft for it.
  public static func plan(
    for url: URL, options: Options = Options(), drafter: URL? = nil
  ) throws(GemmaError) -> MemoryPlan {
    try options.validate()
    let model = try LoadedModel(Checkpoint(at: url), slice: options.slice)
    return MemoryPlan(
      model, options, try drafter.map { (folder) throws(GemmaError) in try GemmaDrafter(folder, model) })
  }

  /// The memory that one context of this model needs without a drafter.
  public var plan: MemoryPlan { MemoryPlan(loaded, options, nil) }

  /// The memory that one context of this model needs with this drafter, which a session takes with its first prompt.
  public func plan(with drafter: GemmaDrafter?) -> MemoryPlan { MemoryPlan(loaded, options, drafter) }
}
