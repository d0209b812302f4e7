import GemmaKernels
import GemmaWeights
import Testing

@testable import GemmaModels

@Suite("What passes read is counted")
struct TrafficTests {
  @Test("Each matrix counts once a pass, and of the embedding the rows of its tokens", arguments: [1, 3])
  func dense(tokens: Int) throws {
    let model = try load("gemma3-q4-g64")
    let decoder = try #require(model.decoder as? Gemma3Decoder)
    let timeline = try Timeline(model, contextLength: 8, options: ComputeOptions(threads: 1))
    try timeline.advance(Array([2, 5, 7].prefix(tokens)))

    var expected = model.head.embedding.byteCount + tokens * ck_row_bytes(model.head.embedding.raw)
    for block in decoder.blocks {
      let own = try #require(block.attention.owned)
      let matrices = [
        block.attention.query, block.attention.output, own.key, try #require(own.value), block.feedForward.gate,
        block.feedForward.up, block.feedForward.down,
      ]
      expected += matrices.reduce(0) { $0 + $1.byteCount }
    }
    #expect(timeline.traffic.weightBytes == expected)
    let positionBytes = 2 * 2 * model.configuration.layers.reduce(0) { $0 + $1.keyValueHeads * $1.headDimension }
    #expect(timeline.traffic.cacheBytes == tokens * positionBytes)
  }
}
