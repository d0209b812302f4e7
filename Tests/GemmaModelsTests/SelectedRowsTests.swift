import GemmaKernels
import GemmaRuntime
import GemmaWeights
import Testing

@testable import GemmaModels

@Suite("Weight rows behind a gate of zero are not read")
struct SelectedRowsTests {
  private static let names = ["gemma3n-q4-g32", "gemma3n-q4-g64", "gemma3n-q8-g32"]

  /// The feed-forward part of the first layer, which is sparse in all of these, and a workspace for one row.
  private static func part(_ name: String) throws -> (FeedForward, Products, Workspace) {
    let model = try load(name)
    let stack = try #require(model.stack as? Gemma3nStack)
    let workspace = try Workspace(model.layout, chunk: 1, contextLength: 1)
    return (stack.layers[0].feedForward, Products(workspace, quantizes: true, canonical: true), workspace)
  }

  private static func fill(_ row: UnsafeMutablePointer<Float>, _ count: Int, every step: Int) {
    for index in 0..<count {
      row[index] = index % step == step / 2 ? Float(index % 13) / 7 - 0.9 : 0
    }
  }

  @Test("The bits are those of the whole product, for any number of open gates", arguments: names)
  func sameBits(name: String) throws {
    let (part, products, workspace) = try Self.part(name)
    let (width, hidden) = (part.width, part.up.columns)
    let x = Rows(base: workspace.base(.normed), stride: hidden)
    for index in 0..<hidden { x.base[index] = Float((index * 37) % 101) / 50 - 1 }
    let gate = Rows(base: workspace.base(.gate), stride: width)
    let raised = Rows(base: workspace.base(.up), stride: width)
    for step in [8, 9, 21, 40, width] {
      Self.fill(gate.base, width, every: step)
      products.multiply([Products.Term(part.up, raised)], by: x, count: 1)
      ck_gelu_gate(gate.base, gate.base, raised.base, width)
      let whole = (0..<width).map { gate.base[$0] }
      #expect(whole.contains { $0 != 0 })

      Self.fill(gate.base, width, every: step)
      raised.base.update(repeating: .nan, count: width)
      let done = try Parallel.team(threads: 2) {
        products.selectedUnit(gate: gate, up: part.up, scratch: raised, by: x)
      }
      #expect(done, "every \(step)th gate open")
      // Zeros may differ in sign, which no quantised activation shows.
      #expect((0..<width).allSatisfy { gate.base[$0] == whole[$0] }, "every \(step)th gate open")
      #expect(raised.base[width - 1].isNaN, "a row was read although its gate is zero")
    }
  }

  @Test("With many open gates, or none, or float32 activations, the whole product is left to do")
  func declined() throws {
    let (part, products, workspace) = try Self.part("gemma3n-q4-g64")
    let x = Rows(base: workspace.base(.normed), stride: part.up.columns)
    x.base.update(repeating: 1, count: part.up.columns)
    let gate = Rows(base: workspace.base(.gate), stride: part.width)
    let raised = Rows(base: workspace.base(.up), stride: part.width)
    Self.fill(gate.base, part.width, every: 2)
    let before = (0..<part.width).map { gate.base[$0] }
    #expect(!products.selectedUnit(gate: gate, up: part.up, scratch: raised, by: x))
    let exact = Products(workspace, quantizes: false, canonical: true)
    #expect(!exact.selectedUnit(gate: gate, up: part.up, scratch: raised, by: x))
    #expect((0..<part.width).map { gate.base[$0] } == before)
    gate.base.update(repeating: 0, count: part.width)
    #expect(!products.selectedUnit(gate: gate, up: part.up, scratch: raised, by: x))
  }
}
