import Foundation
import Gemma

/// What `inspect` says about the folder `drafter` inside a model's.
struct DrafterReport: Encodable {
  /// What a drafter that can be used is; its memory is part of the plan.
  struct Content: Encodable {
    /// The `model_type` of its configuration.
    var kind: String
    var layers: Int
    var hiddenSize: Int
    var parameters: Int
    /// Clusters by which its head looks at the vocabulary, and how many of them it scores; nil where it scores all of
    /// the vocabulary.
    var clusters: Int?
    var selectedClusters: Int?
    var mappedBytes: Int
    var workspaceBytes: Int

    init(_ info: GemmaDrafter.Info, _ drafter: GemmaDrafter, contextLength: Int) {
      kind = info.kind
      layers = info.layerCount
      hiddenSize = info.hiddenSize
      parameters = info.parameters
      clusters = info.clusterCount
      selectedClusters = info.selectedClusters
      mappedBytes = drafter.mappedBytes
      workspaceBytes = drafter.workspaceBytes(contextLength: contextLength)
    }
  }

  var folder: String
  var content: Content?
  /// Why it cannot be used, in words.
  var problem: String?

  /// The report on the drafter beside a model, with the drafter where it can be used; nil where there is none.
  static func of(_ model: GemmaModel) async throws -> (report: DrafterReport, drafter: GemmaDrafter?)? {
    guard let folder = BundledDrafter.folder(of: model) else { return nil }
    do {
      let drafter = try await GemmaDrafter(at: folder, for: model)
      let content = drafter.info.map { Content($0, drafter, contextLength: model.contextLength) }
      return (DrafterReport(folder: folder.path, content: content), drafter)
    } catch let error as GemmaError {
      return (DrafterReport(folder: folder.path, problem: error.localizedDescription), nil)
    }
  }

  /// For people.
  var lines: [String] {
    var lines: [String] = []
    if let content {
      lines.append(
        "drafter        \(content.kind) in drafter/, \(content.layers) layers, hidden size \(content.hiddenSize), "
          + "\(content.parameters) parameters")
      if let clusters = content.clusters, let selected = content.selectedClusters {
        lines.append("               scores the pieces of \(selected) out of \(clusters) clusters")
      }
    }
    if let problem { lines.append("drafter        unusable, and `run` goes on without it: \(problem)") }
    return lines
  }
}
