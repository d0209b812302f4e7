import GemmaWeights
import Testing

@testable import GemmaModels

@Suite("The layout of a workspace")
struct WorkspaceTests {
  @Test("A region has the room of its largest reservation, in whole cache lines, and others take none")
  func reservations() throws {
    var layout = Workspace.Layout()
    layout.reserve(.query, columns: 20)
    layout.reserve(.query, .attended, columns: 18)
    layout.reserve(.logits, rows: .logits, columns: 100)
    layout.reserve(.selection, rows: .exactly(3), columns: 5)
    layout.reserve(.gate, columns: 10)
    layout.reserve(.gate, rows: .positions(64), columns: 25)
    for (chunk, length, gate) in [(1, 1, 32), (40, 64, 400), (7, 65, 80), (40, 10_000, 157 * 25)] {
      let workspace = try Workspace(layout, chunk: chunk, contextLength: length)
      func wholeLines(_ floats: Int) -> Int { (floats + 15) / 16 * 16 }
      #expect(workspace.count(.query) == wholeLines(20 * chunk))
      #expect(workspace.count(.attended) == wholeLines(18 * chunk))
      #expect(workspace.count(.logits) == wholeLines(100 * min(chunk, Workspace.logitRows)))
      #expect(workspace.count(.selection) == 16)
      #expect(workspace.count(.gate) == wholeLines(gate))
      #expect(workspace.count(.key) == 0 && workspace.base(.key) == workspace.base(.value))
      #expect(workspace.heldBytes == layout.byteCount(chunk: chunk, contextLength: length))
    }
  }

  @Test("AltUp's streams and their predictions lie one stride apart", arguments: ["gemma3n-full", "gemma3n-q4-g32"])
  func streams(name: String) throws {
    let workspace = try Workspace(load(name).layout, chunk: 5, contextLength: 9)
    let stride = AltUp.stride(workspace)
    for regions in [
      [.stream0, .stream1, .stream2, .stream3], [.predicted0, .predicted1, .predicted2, .predicted3],
    ] as [[Workspace.Region]] {
      for (first, second) in zip(regions, regions.dropFirst()) {
        #expect(workspace.base(first) + stride == workspace.base(second))
      }
    }
  }

  @Test("Layers reserve what they use and nothing of other architectures")
  func architectures() throws {
    let plain = try Workspace(load("gemma3-q8-g32").layout, chunk: 2, contextLength: 9)
    for region in [.stream1, .predicted0, .residual, .lowRank, .router, .perLayer, .selection, .pair, .scores]
      as [Workspace.Region]
    {
      #expect(plain.count(region) == 0, "\(region)")
    }
    let sparse = try Workspace(load("gemma3n-q8-g32").layout, chunk: 2, contextLength: 9)
    for region in [.stream1, .predicted0, .residual, .lowRank, .router, .perLayer, .selection] as [Workspace.Region] {
      #expect(sparse.count(region) > 0, "\(region)")
    }
  }
}

@Suite("How far a timeline can go back")
struct RingHistoryTests {
  @Test("As far as the ring still holds the window in front of the next token, else to nothing")
  func rewind() throws {
    let model = try load("gemma4-e")
    let layer = try #require(model.configuration.layers.first { $0.kind == .sliding && $0.keyValueSource == nil })
    let options = ComputeOptions(threads: 1, prefillChunk: 16)
    let shape = CacheShape(model.configuration, contextLength: 4096, options: options)
    let cache = try KeyValueCache(layer, shape)
    let caches = model.configuration.layers.map { $0 == layer ? cache : nil }
    let oldest = 1000 - cache.capacity  // the first position that is not overwritten
    let least = oldest + model.configuration.slidingWindow - 1
    for (wanted, kept) in [(999, 999), (least, least), (least - 1, 0), (0, 0)] {
      var history = RingHistory(model.configuration, caches)
      history.noteWritten(below: 1000)
      history.noteWritten(below: 10)
      #expect(history.rewind(to: wanted) == kept)
      // Whoever begins anew may go back to anything.
      if kept == 0 { #expect(history.rewind(to: 1) == 1) }
    }
    var history = RingHistory(model.configuration, model.configuration.layers.map { _ in nil })
    history.noteWritten(below: 4000)
    #expect(history.rewind(to: 1) == 1)
  }
}
