import Foundation
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

/// The table that `Tests/Reference/config_defaults.py` had transformers write: what a model is when a key is left out.
@Suite("config.json with a key left out is what transformers makes of it, or an error that names the key")
struct ConfigurationDefaultsTests {
  private typealias Object = [String: Any]

  /// A configuration in the table's terms.
  private struct Numbers: Decodable, Equatable {
    struct Rotary: Decodable, Equatable {
      let pairs: Int
      let frequencies: [Double]

      init(_ layer: LayerConfiguration) {
        let rotary = layer.rotary
        pairs = rotary.rotatedPairs
        frequencies = (0..<2).map {
          pow(rotary.theta, -2 * Double($0) / Double(layer.headDimension)) / rotary.linearFactor
        }
      }

      /// The table's frequencies are float32.
      static func == (left: Rotary, right: Rotary) -> Bool {
        left.pairs == right.pairs && zip(left.frequencies, right.frequencies).allSatisfy { abs($0 / $1 - 1) < 1e-6 }
      }
    }

    let vocabulary, hidden, heads, window, positions: Int
    let epsilon: Float
    let softcap: Float?
    let perLayerVocabulary, perLayerWidth, laurelRank: Int
    let correctsScale: Bool
    let stopTokens: [Int32]
    let rotary: [String: Rotary]
    let kinds: [String]
    let headDimensions, keyValueHeads, feedForwardWidths, keyValueSources: [Int]
    let sparsities, scales: [Float]
    let valuesFromKeys: [Bool]

    init(_ checkpoint: Checkpoint) {
      let model = checkpoint.configuration
      let layers = model.layers
      func name(_ layer: LayerConfiguration) -> String {
        layer.kind == .full ? "full_attention" : "sliding_attention"
      }
      (vocabulary, hidden, heads) = (model.vocabularySize, model.hiddenSize, model.headCount)
      (window, positions, epsilon) = (model.slidingWindow, model.maximumPositions, model.rmsNormEpsilon)
      softcap = model.finalLogitSoftcap
      perLayerWidth = model.perLayerInputSize
      perLayerVocabulary = perLayerWidth > 0 ? model.perLayerVocabularySize : 0
      (laurelRank, correctsScale) = (model.laurelRank, model.altupCorrectScale)
      stopTokens = checkpoint.generation.stopTokens
      rotary = Dictionary(layers.map { (name($0), Rotary($0)) }) { first, _ in first }
      kinds = layers.map(name)
      headDimensions = layers.map(\.headDimension)
      keyValueHeads = layers.map(\.keyValueHeads)
      feedForwardWidths = layers.map(\.feedForwardWidth)
      keyValueSources = layers.indices.map { layers[$0].keyValueSource ?? $0 }
      sparsities = layers.map(\.activationSparsity)
      scales = layers.map { _ in model.attentionScale }
      valuesFromKeys = layers.indices.map { layers[layers[$0].keyValueSource ?? $0].valuesFromKeys }
    }
  }

  private enum Outcome {
    case numbers(Numbers)
    case error(GemmaError)
  }

  private static func outcome(_ config: Object) throws -> Outcome {
    let text = String(decoding: try JSONSerialization.data(withJSONObject: config), as: UTF8.self)
    return try Fixtures.withTemporaryFolder { folder in
      try SmallCheckpoint.write(config: text, to: folder)
      do throws(GemmaError) {
        return .numbers(Numbers(try Checkpoint(at: folder)))
      } catch {
        return .error(error)
      }
    }
  }

  private static func numbers(_ object: Object) throws -> Numbers {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Numbers.self, from: JSONSerialization.data(withJSONObject: object))
  }

  private static func without(_ path: ArraySlice<String>, _ object: Object) throws -> Object {
    var object = object
    let key = try #require(path.first)
    object[key] = path.count == 1 ? nil : try without(path.dropFirst(), try #require(object[key] as? Object))
    return object
  }

  private static func groups() throws -> [Object] {
    let file = Fixtures.folder.appending(path: "config/expected.json")
    let table = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? Object)
    return try #require(table["groups"] as? [Object])
  }

  @Test(arguments: 0..<7)
  func table(index: Int) throws {
    let groups = try Self.groups()
    try #require(groups.count == 7)
    let name = try #require(groups[index]["name"] as? String)
    let config = try #require(groups[index]["config"] as? Object)
    let base = try #require(groups[index]["expected"] as? Object)
    try Self.expect(Self.outcome(config), base, "\(name), complete")
    let bare = try #require(groups[index]["bare"] as? Object)
    let bareConfig = try #require(bare["config"] as? Object)
    let bareChange = try #require(bare["changed"] as? Object)
    try Self.expect(Self.outcome(bareConfig), base.merging(bareChange) { $1 }, "\(name), bare")

    let cases = try #require(groups[index]["cases"] as? [Object])
    #expect(cases.count > 20)
    for entry in cases {
      let path = try #require(entry["removed"] as? [String])
      let outcome = try Self.outcome(Self.without(path[...], config))
      let comment = "\(name) without \(path.joined(separator: "."))"
      if let changed = entry["changed"] as? Object {
        try Self.expect(outcome, base.merging(changed) { $1 }, comment, orErrorNaming: path[path.count - 1])
      } else if case .numbers = outcome {
        Issue.record("\(comment): transformers refuses it, but it was taken")
      }
    }
  }

  private static func expect(
    _ outcome: Outcome, _ expected: Object, _ comment: String, orErrorNaming key: String? = nil
  ) throws {
    switch outcome {
    case .numbers(let found):
      let expected = try numbers(expected)
      #expect(found == expected, "\(comment)")
    case .error(let error):
      let message = error.errorDescription ?? ""
      #expect(key.map { message.contains($0) } == true, "\(comment): \(message)")
    }
  }
}
