package import Foundation
package import GemmaRuntime
package import GemmaWeights

/// A multi-token-prediction drafter of Gemma 4 as typed views into its mapped folder; immutable and shared by all
/// timelines of the model it was loaded for.
///
/// Sizes in the comments of this folder: B the target's hidden size, H the drafter's, V the vocabulary.
package final class LoadedDrafter: Sendable {
  package let configuration: DrafterConfiguration
  /// Of the drafter's layers; the sources of their keys are layers of the target.
  let layerConfiguration: ModelConfiguration
  let checkpoint: Checkpoint
  let preProjection: WeightMatrix  // [H, 2 B]
  let blocks: [Gemma4Layer]
  let norm: RMSNorm
  let postProjection: WeightMatrix  // [B, H]
  let outputHead: DrafterOutputHead
  let rotary: [RotaryTable]
  private let target: ModelConfiguration

  /// - Throws: `.unsuitableDrafter` naming what does not fit the target, and what opening a model's folder throws.
  package init(at folder: URL, for target: ModelConfiguration) throws(GemmaError) {
    let files = try DrafterCheckpoint(at: folder)
    let drafter = files.configuration
    layerConfiguration = try drafter.bound(to: target, at: folder)
    let (tables, indices) = RotaryTable.tables(layerConfiguration)
    let loader = ModelLoader(
      checkpoint: files.checkpoint, model: layerConfiguration, slice: .full, rotaryIndices: indices)
    let (own, backbone) = (layerConfiguration.hiddenSize, drafter.backboneHiddenSize)
    preProjection = try loader.matrix("pre_projection", own, 2 * backbone)
    postProjection = try loader.matrix("post_projection", backbone, own)
    var blocks: [Gemma4Layer] = []
    for index in layerConfiguration.layers.indices {
      blocks.append(try Gemma4Layer(index, LayerLoader(loader: loader, index: index)))
    }
    self.blocks = blocks
    norm = try loader.norm("norm", own)
    outputHead = try DrafterOutputHead(drafter, loader)
    rotary = tables
    configuration = drafter
    checkpoint = files.checkpoint
    self.target = target
    try checkpoint.checkGapless()
  }

  /// Bytes of the mapped weight files.
  package var mappedBytes: Int { checkpoint.mappedBytes }

  /// What its files hold.
  package var tensors: [TensorInfo] { checkpoint.tensors }

  /// Whether it was loaded for a model of this configuration.
  func fits(_ model: LoadedModel) -> Bool { model.configuration == target }

  /// The bytes that an `MTPDrafter` takes from the pool for a timeline of this length: its own sum.
  package func workspaceBytes(contextLength: Int) -> Int {
    Workspace.byteCount(layerConfiguration, drafter: configuration, chunk: 1, contextLength: contextLength)
  }
}
