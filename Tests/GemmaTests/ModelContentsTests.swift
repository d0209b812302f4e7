import Foundation
import Gemma
import GemmaTestSupport
import Testing

@Suite("Contents of a model")
struct ModelContentsTests {
  @Test("costs add up to the tensors, and every part is counted once", arguments: ["gemma3n-q4-g64", "gemma4-e"])
  func costs(name: String) async throws {
    let model = try await GemmaModel(at: Fixtures.model(name))
    let (costs, tensors) = (model.costs, model.tensors)
    #expect(costs.parts.values.reduce(0) { $0 + $1.bytes } == tensors.reduce(0) { $0 + $1.byteCount })
    #expect(costs.parts.values.reduce(0) { $0 + $1.parameters } == tensors.reduce(0) { $0 + $1.parameters })
    let text = costs.parts.filter(\.key.isText).values
    #expect(costs.parameters == text.reduce(0) { $0 + $1.parameters })
    let tables = [ModelPart.embedding, .perLayerEmbedding].compactMap { costs.parts[$0]?.parameters }
    #expect(costs.effectiveParameters == costs.parameters - tables.reduce(0, +))
    #expect(costs.bytesReadPerToken > 0 && costs.bytesReadPerToken < text.reduce(0) { $0 + $1.bytes })
    #expect(tensors.map(\.name) == tensors.map(\.name).sorted() && model.cut == nil)
  }

  @Test("a slice costs less than the whole, which it can still be asked for, and says what it cuts")
  func slice() async throws {
    let whole = try await SessionTests.demo()
    let half = try whole.sliced(to: .half)
    let (kept, all) = (half.costs, whole.costs)
    let feedForward = try #require(all.parts[.feedForward]).parameters
    #expect(kept.parts[.feedForward]?.parameters == feedForward / 2)
    #expect(kept.parameters == all.parameters - feedForward / 2 && kept.bytesReadPerToken < all.bytesReadPerToken)
    #expect(try half.sliced(to: .full).costs == all && half.tensors == whole.tensors)
    let cut = try #require(half.cut)
    #expect(cut.skippedLayers.isEmpty && cut.feedForwardWidths.count == half.info.layerCount)
    #expect(half.url == whole.url)
  }

  @Test("costs as JSON have the parts' names as keys and come back")
  func codable() async throws {
    let costs = try await SessionTests.demo().costs
    let data = try JSONEncoder().encode(costs)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let parts = try #require(object["parts"] as? [String: Any])
    #expect(parts["per_layer_embedding"] != nil && parts["feed_forward"] != nil)
    #expect(try JSONDecoder().decode(ModelCosts.self, from: data) == costs)
  }

  @Test("a drafter's info is what its configuration says; a slice has none")
  func drafter() async throws {
    let model = try await GemmaModel(at: Fixtures.demo4)
    let info = try #require(try await GemmaDrafter(at: Fixtures.demo4.appending(path: "drafter"), for: model).info)
    #expect(info.kind == "gemma4_assistant" && info.layerCount == 4 && info.parameters > 0)
    #expect(try await GemmaDrafter(slicing: SessionTests.demo(), to: .half).info == nil)
  }

  @Test("features are those of the architecture")
  func features() async throws {
    #expect(try await SessionTests.demo().features.contains("AltUp and LAuReL"))
    let gemma4 = try await GemmaModel(at: Fixtures.demo4).features
    #expect(!gemma4.contains("AltUp and LAuReL") && gemma4.contains { $0.contains("sliding layers with window") })
  }
}
