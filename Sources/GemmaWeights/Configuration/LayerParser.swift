import GemmaJSON
import GemmaRuntime

/// Derives what each layer is from the keys that describe all of them.
struct LayerParser {
  private let text: JSONFields
  private let family: FamilyDefaults
  private let headCount: Int
  private let count: Int
  private let firstShared: Int

  init(_ parser: ConfigurationParser, count: Int, firstShared: Int) throws(GemmaError) {
    text = parser.text
    family = parser.family
    headCount = try parser.headCount()
    self.count = count
    self.firstShared = firstShared
  }

  func layers() throws(GemmaError) -> [LayerConfiguration] {
    let kinds = try kinds()
    let widths = try feedForwardWidths()
    let sparsities = try activationSparsities()
    let valuesFromKeys = family.architecture == .gemma4 ? try text.boolean("attention_k_eq_v", default: false) : false
    let heads = try HeadParser(text, family, valuesFromKeys: valuesFromKeys)
    let rotary = RotaryParser(text, family)
    var layers: [LayerConfiguration] = []
    for index in 0..<count {
      let kind = kinds[index]
      let (dimension, keyValueHeads) = try heads.shape(layer: index, kind: kind)
      guard dimension % 16 == 0 else {
        throw .unsupportedModel("layer \(index) has head_dim \(dimension); expected a multiple of 16")
      }
      guard headCount % keyValueHeads == 0 else {
        throw text.error(
          "num_key_value_heads",
          "\(headCount) attention heads cannot share \(keyValueHeads) key-value heads evenly (layer \(index))")
      }
      var source: Int?
      if index >= firstShared {
        source = kinds[..<firstShared].lastIndex(of: kind)
        guard let source, layers[source].headDimension == dimension, layers[source].keyValueHeads == keyValueHeads
        else {
          throw text.error(
            "num_kv_shared_layers", "layer \(index) shares keys, but no earlier layer of its kind and shape owns any")
        }
      }
      layers.append(
        LayerConfiguration(
          storedIndex: index, kind: kind, headDimension: dimension, keyValueHeads: keyValueHeads,
          feedForwardWidth: widths[index], activationSparsity: sparsities[index], keyValueSource: source,
          valuesFromKeys: valuesFromKeys && kind == .full,
          rotary: try rotary.configuration(of: kind, headDimension: dimension)))
    }
    return layers
  }

  private func kinds() throws(GemmaError) -> [AttentionKind] {
    var kinds: [AttentionKind] = []
    if let names = try text.list("layer_types") {
      guard names.count == count else {
        throw text.error("layer_types", "expected \(count) entries, one per layer, found \(names.count)")
      }
      for name in names {
        switch name {
        case .string("sliding_attention"): kinds.append(.sliding)
        case .string("full_attention"): kinds.append(.full)
        default: throw .unsupportedModel("layer_types holds \(name.description); expected sliding or full attention")
        }
      }
    } else {
      // Only Gemma 3 configs were published with this older key.
      let period =
        family.architecture == .gemma3
        ? try text.integer("sliding_window_pattern", in: 1...1024, default: family.fullLayerPeriod)
        : family.fullLayerPeriod
      kinds = (0..<count).map { ($0 + 1) % period == 0 ? .full : .sliding }
    }
    if family.architecture == .gemma4 { kinds[count - 1] = .full }  // as transformers does, whatever the file says
    return kinds
  }

  private func feedForwardWidths() throws(GemmaError) -> [Int] {
    let key = "intermediate_size"
    let range = 1...ConfigurationParser.largest
    var widths: [Int] = []
    if case .array(let values)? = text[key] {
      widths = values.compactMap(\.integer).filter(range.contains)
      guard values.count == count, widths.count == count else {
        throw text.error(key, "expected \(count) positive whole numbers, one per layer, found \(widths.count)")
      }
    } else {
      widths = Array(repeating: try text.integer(key, in: range), count: count)
    }
    if family.architecture == .gemma4, firstShared < count, try text.boolean("use_double_wide_mlp", default: false) {
      for index in firstShared..<count {
        widths[index] *= 2
        guard range.contains(widths[index]) else { throw text.error(key, "doubled it passes \(range.upperBound)") }
      }
    }
    return widths
  }

  private func activationSparsities() throws(GemmaError) -> [Float] {
    let key = "activation_sparsity_pattern"
    guard family.architecture == .gemma3n else { return Array(repeating: 0, count: count) }
    guard let values = text[key] else {
      let sparse = count > 10 ? 10 : 0
      return (0..<count).map { $0 < sparse ? 0.95 : 0 }
    }
    let listed: [JSONValue]
    if case .array(let values) = values { listed = values } else { listed = Array(repeating: values, count: count) }
    var sparsities: [Float] = []
    for value in listed {
      guard case .number(let share) = value, share.double >= 0, share.double < 0.9999 else {
        throw text.error(key, "expected shares from 0 to below 1, found \(value.description)")
      }
      sparsities.append(Float(share.double))
    }
    guard sparsities.count == count else {
      throw text.error(key, "expected \(count) entries, one per layer, found \(sparsities.count)")
    }
    return sparsities
  }
}
