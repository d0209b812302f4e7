import Foundation
import GemmaModels
import GemmaRuntime

/// Makes a timeline and what drafts for it, when they are needed.
struct TimelineMaker: Sendable {
  let model: GemmaModel
  let options: GemmaModel.Options
  /// Makes a source of drafts beside prompt lookup.
  let makeDrafts: MakeDraftSource?

  /// Tokens the timeline can hold.
  var contextLength: Int { options.contextLength(for: model.loaded.configuration) }

  func timeline() throws(GemmaError) -> Timeline {
    // All of it at once: whoever raises the limit to what is missing should not hear of the next part then.
    let required = Memory.activeMemory + MemoryPlan(model.loaded, options, nil).poolBytes
    let limit = Memory.memoryLimit
    guard required <= limit else { throw .memoryLimitExceeded(limit: limit, required: required) }
    return try Timeline(model.loaded, contextLength: contextLength, options: options.compute)
  }

  /// A source that cannot be made, as for lack of memory, is done without.
  func speculator(for timeline: Timeline) -> Speculator {
    var sources: [any DraftSource] = []
    var failure: String?
    do throws(GemmaError) {
      if let made = try makeDrafts?(timeline, options.compute) { sources.append(made) }
    } catch {
      failure = error.localizedDescription
    }
    return Speculator(sources + [PromptLookup()], failure: failure)
  }
}
