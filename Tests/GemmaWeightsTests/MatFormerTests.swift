import Foundation
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

@Suite("MatFormer recipes")
struct MatFormerTests {
  /// Gemma 3n E4B's shape, or one with other numbers.
  private func model(layers: Int = 35, shared: Int = 15, width: Int = 16_384) throws -> ModelConfiguration {
    try SmallCheckpoint.configuration(
      """
      {"model_type":"gemma3n_text","vocab_size":262400,"hidden_size":2048,"intermediate_size":\(width),
      "num_hidden_layers":\(layers),"num_kv_shared_layers":\(shared),"num_attention_heads":8,"num_key_value_heads":2}
      """)
  }

  private func refusal(_ slice: MatFormerSlice, _ model: ModelConfiguration) -> (layer: Int?, reason: String)? {
    do throws(GemmaError) {
      _ = try slice.apply(to: model)
    } catch .unsupportedSlice(_, let layer, let reason) {
      return (layer, reason)
    } catch {
      Issue.record("\(error)")
    }
    return nil
  }

  @Test("each published recipe has the parameters its name promises")
  func parameters() throws {
    let sizes = [
      3.98, 1.91, 1.96, 2.54, 2.69, 2.98, 3.18, 3.39, 3.59, 3.79, 2.49, 2.73, 2.98, 3.24, 3.49, 3.74,
    ]
    let whole = try model()
    #expect(MatFormerSlice.published.count == 16)
    for (slice, size) in zip(MatFormerSlice.published, sizes) {
      let part = try slice.apply(to: whole)
      // Attention, per-layer input, LAuReL, AltUp and norms of a layer, then what the model has once.
      let layers = part.layers.count * (10_486_272 + 1_050_624 + 264_192 + 12_368 + 8192 + 256 * 2048)
      let units = part.layers.reduce(0) { $0 + 3 * 2048 * $1.feedForwardWidth }
      let count = Double(layers + units + 6 * 2048 * 2048 + 2304) / 1e9
      // The names are rounded upwards; one layer more or less of full width is 0.05.
      #expect(abs(count - size) < 0.021, "\(slice.name): \(count)")
    }
  }

  @Test("E2B keeps the pattern of layers, the sources of shared keys and the gate's sparsity")
  func e2b() throws {
    let (whole, part) = (try model(), try MatFormerSlice.e2b.apply(to: model()))
    let small = try model(layers: 30, shared: 10, width: 8192)
    #expect(part.layers.map(\.storedIndex) == Array(0..<20) + Array(25..<35))
    #expect(part.layers.map(\.kind) == small.layers.map(\.kind))
    #expect(part.layers.map(\.keyValueSource) == small.layers.map(\.keyValueSource))
    #expect(part.layers.map(\.activationSparsity) == small.layers.map(\.activationSparsity))
    #expect(part.layers.map(\.feedForwardWidth) == small.layers.map(\.feedForwardWidth))
    #expect(part.firstSharedLayer == 20 && whole.firstSharedLayer == 20)
  }

  @Test("skipping single layers renumbers sources, deletes kinds and shortens the sparse part")
  func single() throws {
    let part = try MatFormerSlice(name: "mine", feedForwardWidths: nil, skippedLayers: [30, 2, 9]).apply(to: model())
    #expect(part.layers.count == 32 && part.firstSharedLayer == 18)
    #expect(part.layers.filter { $0.activationSparsity > 0 }.count == 8)
    #expect(Set(part.layers.compactMap(\.keyValueSource)) == [16, 17])
    #expect(part.layers[16].storedIndex == 18 && part.layers[17].storedIndex == 19)
    #expect(part.layers.filter { $0.kind == .full }.count == 6)
  }

  @Test("a width is a share of the model's own full width")
  func shares() throws {
    let demo = try model(layers: 10, shared: 5, width: 512)
    #expect(try MatFormerSlice.half.apply(to: demo).layers.allSatisfy { $0.feedForwardWidth == 256 })
    #expect(try MatFormerSlice(named: "5/8").apply(to: demo).layers.allSatisfy { $0.feedForwardWidth == 320 })
    let narrow = try MatFormerSlice(named: "E2.49B").apply(to: model(width: 64))
    #expect(Set(narrow.layers[20..<25].map(\.feedForwardWidth)) == [64])
    #expect(Set(narrow.layers[..<20].map(\.feedForwardWidth)) == [32])
  }

  @Test("what does not fit is refused with the layer that is to blame")
  func refusals() throws {
    let whole = try model()
    func own(_ widths: [Int]?, _ skipped: [Int] = []) -> MatFormerSlice {
      MatFormerSlice(name: "mine", feedForwardWidths: widths, skippedLayers: skipped)
    }
    func widths(_ count: Int, _ changes: [Int: Int] = [:]) -> [Int] { (0..<count).map { changes[$0] ?? 8192 } }
    for source in [18, 19] { #expect(refusal(own(nil, [source]), whole)?.layer == source) }
    for outside in [-1, 35] { #expect(refusal(own(nil, [outside]), whole)?.layer == outside) }
    #expect(refusal(own(nil, [3, 4, 3]), whole)?.layer == 3)
    #expect(refusal(own(widths(34)), whole)?.layer == 34)
    #expect(refusal(own(widths(36)), whole)?.layer == 35)
    // Position 20 of the kept layers is layer 25.
    #expect(refusal(own(widths(30, [20: 16_385]), Array(20...24)), whole)?.layer == 25)
    #expect(refusal(own(widths(35, [7: 0])), whole)?.layer == 7)
    #expect(refusal(own(widths(35, [7: -5])), whole)?.layer == 7)
    for eighths in [0, 9] {
      let refusal = refusal(.uniform(eighths: eighths), whole)
      #expect(refusal?.layer == nil && refusal?.reason.contains("N from 1 to 8") == true)
    }
    #expect(refusal(.half, try model(width: 17))?.layer == 0)
    #expect(refusal(.e2b, try model(layers: 10, shared: 5))?.layer == 20)
    let unshared = try model(layers: 2, shared: 0)
    #expect(refusal(own(nil, [0, 1]), unshared) != nil && refusal(own(nil, [0, 1]), unshared)?.layer == nil)
    let other = try SmallCheckpoint.configuration(SmallCheckpoint.config)
    #expect(refusal(.half, other)?.reason.contains("gemma4") == true)
    #expect(try MatFormerSlice.full.apply(to: other) == other)
  }

  @Test("names are found in full, shortened, in any case; ambiguous and unknown ones are refused with a list")
  func names() throws {
    for slice in MatFormerSlice.published { #expect(try MatFormerSlice(named: slice.name) == slice) }
    #expect(try MatFormerSlice(named: "E2.54B (layer-level)").name == "Config for E2.54B (layer-level)")
    #expect(try MatFormerSlice(named: "e3.49b").name == "Config for E3.49B (block-level)")
    #expect(try MatFormerSlice(named: "e2.98b-block").name == "Config for E2.98B (block-level)")
    #expect(try MatFormerSlice(named: "E2B") == .e2b && MatFormerSlice(named: "full").isFull)
    for wrong in ["E2.98B", "", "E9B", "8", "(", "Config for"] {
      let error = #expect(throws: GemmaError.self, "\(wrong)") { try MatFormerSlice(named: wrong) }
      #expect(error?.localizedDescription.contains("E2.98B (block-level)") == true, "\(wrong)")
    }
    for wrong in ["0/8", "9/8", "-1/8", "1/2", "5/7", "2.5/8", "99999999999999999999/8"] {
      let error = #expect(throws: GemmaError.self, "\(wrong)") { try MatFormerSlice(named: wrong) }
      #expect(error?.localizedDescription.contains("N/8, with N from 1 to 8") == true, "\(wrong)")
    }
  }

  @Test("a recipe says that it is rescaled where layers are not of the width it is written for")
  func rescaling() throws {
    let (whole, narrow) = (try model(), try model(width: 64))
    let recipe = try MatFormerSlice(named: "E2.49B")
    for slice in [recipe, .e2b, .full, .half] { #expect(slice.rescaling(to: whole) == nil) }
    for slice in [.full, .half, MatFormerSlice(name: "mine", feedForwardWidths: [64])] {
      #expect(slice.rescaling(to: narrow) == nil)
    }
    for slice in [recipe, .e2b] {
      let words = slice.rescaling(to: narrow)
      #expect(words?.contains("16384 units") == true && words?.contains("have 64,") == true, "\(words ?? "nil")")
    }
    // Layers of two widths, as in a slice that was written to a folder of its own.
    let mixed = try recipe.apply(to: whole)
    #expect(recipe.rescaling(to: mixed)?.contains("8192 to 16384") == true)
  }

  @Test("a row of a recipe file gives the published slice, whatever its spelling")
  func file() throws {
    try Fixtures.withTemporaryFolder { folder in
      let file = folder.appending(path: "recipes.csv")
      let narrow = [String](repeating: "2_048 * 4", count: 20) + [String](repeating: "16384", count: 5)
      let rest = [String](repeating: "8_192", count: 10)
      let small = [String](repeating: "2_048*4", count: 30).joined(separator: ",")
      let text = [
        "name,# Layers,# Effective Params (B),MMLU PT accuracy,FFN Hidden Dims,Layers Skipped",
        "Config for official E2B Model,30,1.91,50.90%,\"[\(small)]\",\"[20, 21, 22, 23, 24]\"",
        "Config for E2.49B (block-level),35,2.49,54.50%,\"[\((narrow + rest).joined(separator: ", "))]\",",
        "\"a \"\"bad\"\", row\",35,2,50%,\"[2_048 * x]\",", "short,35", "",
      ].joined(separator: "\r\n")
      try Data(text.utf8).write(to: file)
      let whole = try model()
      for name in ["Config for official E2B Model", "Config for E2.49B (block-level)"] {
        let row = try MatFormerSlice(contentsOf: file, row: name)
        #expect(row == (try MatFormerSlice(named: name)))
        #expect(try row.apply(to: whole) == MatFormerSlice(named: name).apply(to: whole))
      }
      // As some programs write it: with the mark of UTF-8, which is no part of the first column's name.
      let signed = folder.appending(path: "signed.csv")
      try (Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8)).write(to: signed)
      let name = "Config for E2.49B (block-level)"
      #expect(try MatFormerSlice(contentsOf: signed, row: name) == MatFormerSlice(contentsOf: file, row: name))
      for wrong in ["a \"bad\", row", "short"] {
        let error = #expect(throws: GemmaError.self) { try MatFormerSlice(contentsOf: file, row: wrong) }
        guard case .malformedFile = error else {
          Issue.record("\(wrong): \(String(describing: error))")
          continue
        }
      }
      let missing = #expect(throws: GemmaError.self) { try MatFormerSlice(contentsOf: file, row: "none") }
      #expect(missing?.localizedDescription.contains("E2.49B") == true)
      #expect(throws: GemmaError.self) {
        try MatFormerSlice(contentsOf: folder.appending(path: "absent.csv"), row: "none")
      }
      try Data("name,width\nx,3\n".utf8).write(to: file)
      #expect(throws: GemmaError.self) { try MatFormerSlice(contentsOf: file, row: "x") }
    }
  }
}
