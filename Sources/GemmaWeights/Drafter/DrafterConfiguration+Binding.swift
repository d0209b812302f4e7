package import Foundation
package import GemmaRuntime

extension DrafterConfiguration {
  /// The drafter's layers as layers of its target's timeline: each reads the keys of the target's last owning layer of
  /// its kind.
  /// - Throws: `.unsuitableDrafter` naming what differs.
  package func bound(to target: ModelConfiguration, at url: URL) throws(GemmaError) -> ModelConfiguration {
    func require(_ what: String, _ own: Int, _ theirs: Int) throws(GemmaError) {
      guard own == theirs else {
        throw .unsuitableDrafter(url, reason: "it was made for \(what) \(own), the model has \(theirs)")
      }
    }
    guard target.architecture == .gemma4 else {
      throw .unsuitableDrafter(url, reason: "it drafts for Gemma 4, the model is of the family \(target.architecture)")
    }
    try require("a hidden size (backbone_hidden_size) of", backboneHiddenSize, target.hiddenSize)
    try require("a vocabulary of", layers.vocabularySize, target.vocabularySize)
    try require("a sliding window of", layers.slidingWindow, target.slidingWindow)
    guard target.slidingWindow > 1 else {
      throw .unsuitableDrafter(url, reason: "a sliding window of 1 leaves it no keys to look at")
    }
    var sources: [Int] = []
    for (index, layer) in layers.layers.enumerated() {
      let owner = target.layers.lastIndex { $0.kind == layer.kind && $0.keyValueSource == nil }
      guard let owner else {
        throw .unsuitableDrafter(url, reason: "its layer \(index) needs \(layer.kind) attention, the model has none")
      }
      let source = target.layers[owner]
      try require("heads in \(layer.kind) layers of the size", layer.headDimension, source.headDimension)
      try require("key heads in \(layer.kind) layers:", layer.keyValueHeads, source.keyValueHeads)
      guard layer.rotary == source.rotary else {
        throw .unsuitableDrafter(
          url,
          reason: "the rotary embedding of its \(layer.kind) layers (\(layer.rotary.summary)) is not the model's "
            + "(\(source.rotary.summary)): it belongs to another revision")
      }
      sources.append(owner)
    }
    return layers.reading(keysOf: sources)
  }
}

extension RotaryConfiguration {
  /// In words, for error messages.
  fileprivate var summary: String { "base \(theta), \(rotatedPairs) pairs, factor \(linearFactor)" }
}
