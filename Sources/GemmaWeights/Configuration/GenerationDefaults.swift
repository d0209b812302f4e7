import GemmaJSON
import GemmaRuntime

/// What a checkpoint's authors recommend for sampling, and the tokens that end an answer.
package struct GenerationDefaults: Sendable, Hashable {
  /// From generation_config.json, else from config.json, else 1.
  package let stopTokens: [Int32]
  /// 0 where the file says not to sample; nil where it says nothing.
  package let temperature: Float?
  package let topK: Int?
  package let topP: Float?

  init(generation: JSONFields?, configuration: JSONFields) throws(GemmaError) {
    var stops: [Int32]?
    for fields in [generation, configuration, try configuration.object("text_config")].compactMap({ $0 }) {
      // Nothing here depends on these two, but a file with nonsense in them is not what its authors meant.
      for key in ["bos_token_id", "pad_token_id"] where fields.has(key) {
        _ = try fields.integer(key, in: 0...ConfigurationParser.largest)
      }
      let listed = try Self.stopTokens(fields)
      stops = stops ?? listed
    }
    stopTokens = stops ?? [1]
    guard let generation else {
      (temperature, topK, topP) = (nil, nil, nil)
      return
    }
    if try generation.boolean("do_sample", default: true) {
      let value = generation.has("temperature") ? try generation.number("temperature") : nil
      if let value, !(value >= 0 && value <= 1e6) {
        throw generation.mismatch("temperature", expected: "a number from 0")
      }
      temperature = value.map { Float($0) }
    } else {
      temperature = 0
    }
    topK = generation.has("top_k") ? try generation.integer("top_k", in: 0...ConfigurationParser.largest) : nil
    topP = generation.has("top_p") ? Float(try generation.positive("top_p", upTo: 1)) : nil
  }

  private static func stopTokens(_ fields: JSONFields) throws(GemmaError) -> [Int32]? {
    let key = "eos_token_id"
    let listed: [JSONValue]
    switch fields[key] {
    case nil: return nil
    case .array(let values)?: listed = values
    case let value?: listed = [value]
    }
    var tokens: [Int32] = []
    for value in listed {
      guard let id = value.integer, id >= 0, id <= ConfigurationParser.largest else {
        throw fields.mismatch(key, expected: "a token id or a list of them")
      }
      tokens.append(Int32(id))
    }
    return tokens.isEmpty ? nil : tokens
  }
}
