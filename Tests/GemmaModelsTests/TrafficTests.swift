import GemmaKernels
import GemmaWeights
import Testing

@testable import GemmaModels

@Suite("What passes read is counted")
struct TrafficTests {
  @Test("Each matrix counts once a pass, and of the embedding the rows of its tokens", arguments: [1, 3])
  func dense(tokens: Int) throws {
    let model = try load("gemma3-q4-g64")
    let stack = try #require(model.stack as? Gemma3Stack)
    let timeline = try Timeline(model, contextLength: 8, options: ComputeOptions(threads: 1))
    try timeline.append(Array([2, 5, 7].prefix(tokens)))

    var expected = stack.outputHead.embedding.byteCount + tokens * ck_row_bytes(stack.outputHead.embedding.raw)
    for layer in stack.layers {
      let own = try #require(layer.attention.owned)
      let matrices = [
        layer.attention.query, layer.attention.output, own.key, try #require(own.value), layer.feedForward.gate,
        layer.feedForward.up, layer.feedForward.down,
      ]
      expected += matrices.reduce(0) { $0 + $1.byteCount }
    }
    #expect(timeline.traffic.weightBytes == expected)
    let positionBytes = 2 * 2 * model.configuration.layers.reduce(0) { $0 + $1.keyValueHeads * $1.headDimension }
    #expect(timeline.traffic.cacheBytes == tokens * positionBytes)
  }
}
