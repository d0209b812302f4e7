import Foundation
import GemmaModels
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

private let sliceFixtures = ["gemma3n-bf16", "gemma3n-q4-g32"]

/// What `Tests/Reference/make_slices.py` wrote beside an unsliced model.
private struct SliceExpectations: Decodable {
  struct Slice: Decodable {
    let name: String
    let layers: Int
    let skipped: [Int]
    let widths: [Int]
    let logprobs: [Float]
    let last: [Float]

    /// By name where it is published, else by its numbers.
    func slice() throws -> MatFormerSlice {
      name == "odd"
        ? MatFormerSlice(name: name, feedForwardWidths: widths, skippedLayers: skipped)
        : try MatFormerSlice(named: name)
    }
  }

  let ids: [TokenID]
  let slices: [Slice]

  static func of(_ name: String) throws -> SliceExpectations {
    try JSONDecoder().decode(
      SliceExpectations.self, from: Data(contentsOf: Fixtures.slice(name).appending(path: "expected.json")))
  }
}

@Suite("MatFormer slices")
struct SliceTests {
  @Test("All 16 recipes and an odd one agree with transformers on sliced weights", arguments: sliceFixtures)
  func reference(name: String) throws {
    let checkpoint = try Checkpoint(at: Fixtures.slice(name))
    let expectations = try SliceExpectations.of(name)
    #expect(expectations.slices.count == 17)
    for expected in expectations.slices {
      let model = try LoadedModel(checkpoint, slice: expected.slice())
      #expect(model.configuration.layers.map(\.feedForwardWidth) == expected.widths)
      #expect(model.configuration.layers.count == expected.layers)
      for reproducible in [true, false] {
        for chunk in [7, 256] {
          let options = ComputeOptions(
            threads: 2, float32Activations: true, reproducible: reproducible, prefillChunk: chunk)
          let timeline = try Timeline(model, contextLength: expectations.ids.count, options: options)
          let rows = try timeline.score(expectations.ids).map(logSoftmax)
          let scored = zip(rows, expectations.ids.dropFirst()).map { row, id in row[Int(id)] }
          #expect(largestDifference(scored, expected.logprobs) < 2e-3, "\(expected.name)")
          #expect(largestDifference(rows[rows.count - 1], expected.last) < 2e-3, "\(expected.name)")
        }
      }
    }
  }

  @Test("Rows that leave early, chunks and int8 activations change no bit of a slice", arguments: sliceFixtures)
  func sameBits(name: String) throws {
    let checkpoint = try Checkpoint(at: Fixtures.slice(name))
    let expectations = try SliceExpectations.of(name)
    for expected in expectations.slices where ["odd", "Config for E1.96B (layer-level)"].contains(expected.name) {
      let model = try LoadedModel(checkpoint, slice: expected.slice())
      var options = ComputeOptions(threads: 2, reproducible: true)
      let whole = try Timeline(model, contextLength: expectations.ids.count, options: options)
      let wanted = try whole.score(expectations.ids)
      options.prefillChunk = 9
      let chunked = try Timeline(model, contextLength: expectations.ids.count, options: options)
      try chunked.append(expectations.ids)
      #expect(chunked.logits.map(\.bitPattern) == wanted[wanted.count - 1].map(\.bitPattern), "\(expected.name)")
    }
  }

  @Test("The plan of a slice is what its timeline takes, to the byte", arguments: sliceFixtures)
  func plan(name: String) throws {
    let checkpoint = try Checkpoint(at: Fixtures.slice(name))
    let few = MatFormerSlice(name: "few", feedForwardWidths: nil, skippedLayers: [0, 7])
    for slice in [MatFormerSlice.full, .e2b, few] {
      let model = try LoadedModel(checkpoint, slice: slice)
      for (length, chunk) in [(1, 256), (50, 7), (1000, 64)] {
        let options = ComputeOptions(threads: 1, prefillChunk: chunk)
        let timeline = try Timeline(model, contextLength: length, options: options)
        #expect(timeline.held == model.plan(contextLength: length, options: options))
      }
    }
    let options = ComputeOptions(threads: 1, prefillChunk: 64)
    let (full, small) = (try LoadedModel(checkpoint), try LoadedModel(checkpoint, slice: .e2b))
    #expect(
      small.plan(contextLength: 100, options: options).workspaceBytes
        < full.plan(contextLength: 100, options: options).workspaceBytes)
  }

  @Test("Two sizes in turn give the numbers of each alone, from one mapping of the file")
  func together() throws {
    let folder = Fixtures.slice("gemma3n-q4-g32")
    let checkpoint = try Checkpoint(at: folder)
    let ids = try SliceExpectations.of("gemma3n-q4-g32").ids
    let models = [try LoadedModel(checkpoint), try LoadedModel(checkpoint, slice: .e2b)]
    let alone = try models.map { model in
      let timeline = try Timeline(model, contextLength: ids.count, options: exact)
      try timeline.append(ids)
      return timeline.logits.map(\.bitPattern)
    }
    #expect(alone[0] != alone[1])
    let timelines = try models.map { try Timeline($0, contextLength: ids.count, options: exact) }
    for id in ids { for timeline in timelines { try timeline.append([id]) } }
    #expect(timelines.map { $0.logits.map(\.bitPattern) } == alone)
    #expect(models[0].checkpoint === models[1].checkpoint)
  }

  @Test("A slice written as a folder of its own gives the bits of the view", arguments: sliceFixtures)
  func written(name: String) throws {
    let checkpoint = try Checkpoint(at: Fixtures.slice(name))
    let expectations = try SliceExpectations.of(name)
    for expected in expectations.slices where ["odd", "Config for E1.96B (layer-level)"].contains(expected.name) {
      try Fixtures.withTemporaryFolder { folder in
        let target = folder.appending(path: "out")
        _ = try CheckpointSlicer(expected.slice()).run(from: Fixtures.slice(name), to: target)
        let models = [try LoadedModel(checkpoint, slice: expected.slice()), try LoadedModel(Checkpoint(at: target))]
        for options in [exact, ComputeOptions(threads: 2, reproducible: true)] {
          let rows = try models.map {
            bits(try Timeline($0, contextLength: expectations.ids.count, options: options).score(expectations.ids))
          }
          #expect(rows[0] == rows[1], "\(expected.name)")
        }
      }
    }
  }

  @Test("A width that splits a group of quantised weights is refused with its layer; unquantised it runs")
  func groups() throws {
    var widths = [Int](repeating: 64, count: 35)
    widths[6] = 40
    let odd = MatFormerSlice(name: "mine", feedForwardWidths: widths)
    let error = #expect(throws: GemmaError.self) {
      try LoadedModel(Checkpoint(at: Fixtures.slice("gemma3n-q4-g32")), slice: odd)
    }
    guard case .unsupportedSlice(name: "mine", layer: 6, reason: _) = error else {
      Issue.record("expected unsupportedSlice, not \(String(describing: error))")
      return
    }
    widths = [Int](repeating: 32, count: 35)
    widths[6] = 13
    let plain = try LoadedModel(
      Checkpoint(at: Fixtures.slice("gemma3n-bf16")), slice: MatFormerSlice(name: "mine", feedForwardWidths: widths))
    let timeline = try Timeline(plain, contextLength: 4, options: exact)
    try timeline.append([2, 5, 9])
    let isFinite = timeline.logits.allSatisfy { $0.isFinite }
    #expect(isFinite)
  }
}
