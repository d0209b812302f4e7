import Foundation
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

@Suite("Writing a slice")
struct SlicerTests {
  @Test(
    "the new folder has the slice's configuration and no tensor more", arguments: ["gemma3n-bf16", "gemma3n-q4-g32"])
  func configuration(name: String) throws {
    let odd = MatFormerSlice(name: "odd", feedForwardWidths: nil, skippedLayers: [2, 10, 21, 30])
    for slice in [MatFormerSlice.e2b, odd] {
      try Fixtures.withTemporaryFolder { folder in
        let target = folder.appending(path: "out")
        let source = try Checkpoint(at: Fixtures.slice(name))
        let summary = try CheckpointSlicer(slice).run(from: Fixtures.slice(name), to: target)
        let written = try Checkpoint(at: target)
        try written.checkGapless()
        let wanted = try slice.apply(to: source.configuration)
        #expect(summary.layers == wanted.layers.count && written.configuration.layers.count == wanted.layers.count)
        for (new, old) in zip(written.configuration.layers, wanted.layers) {
          #expect(new.kind == old.kind && new.feedForwardWidth == old.feedForwardWidth)
          #expect(new.keyValueSource == old.keyValueSource && new.activationSparsity == old.activationSparsity)
        }
        // Bytes as the map of views counts them, names without gaps.
        let map = SliceMap(wanted, of: source.configuration)
        let bytes = source.tensors.reduce(0) { $0 + (map.part(of: $1.name)?.share(of: $1.byteCount) ?? 0) }
        #expect(written.tensors.reduce(0) { $0 + $1.byteCount } == bytes)
        #expect(Set(written.tensors.map(\.name)) == Set(source.tensors.compactMap { map.part(of: $0.name)?.name }))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out"])
      }
    }
  }

  @Test("an interruption leaves nothing, and a slice that does not fit is refused before anything is written")
  func failures() throws {
    try Fixtures.withTemporaryFolder { folder in
      let target = folder.appending(path: "out")
      let source = Fixtures.slice("gemma3n-q4-g32")
      #expect(throws: CancellationError.self) {
        try CheckpointSlicer(.e2b).run(from: source, to: target, shouldStop: { true })
      }
      for slice in [
        MatFormerSlice(name: "mine", feedForwardWidths: [Int](repeating: 40, count: 35)),
        MatFormerSlice(name: "mine", feedForwardWidths: nil, skippedLayers: [19]),
      ] {
        let error = #expect(throws: GemmaError.self) { try CheckpointSlicer(slice).run(from: source, to: target) }
        guard case .unsupportedSlice(name: _, layer: .some, reason: _) = error else {
          Issue.record("expected a layer, not \(String(describing: error))")
          continue
        }
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(left.isEmpty)
    }
  }
}
