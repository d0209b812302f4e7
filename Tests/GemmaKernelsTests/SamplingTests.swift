import GemmaKernels
import Testing

@Suite("Choosing among logits")
struct SamplingTests {
  private func argmax(_ x: [Float]) -> [Int] {
    availableLevels().map { level in withLevel(level) { ck_argmax(x, x.count) } }
  }

  private func topK(_ x: [Float], _ k: Int) throws -> ([Int32], [Float]) {
    var answers: [([Int32], [Float])] = []
    for level in availableLevels() {
      let ids = try GuardedMemory(bytes: 4 * k)
      let values = try GuardedMemory(bytes: 4 * k)
      let written = withLevel(level) {
        ck_top_k(ids.raw.assumingMemoryBound(to: Int32.self), values.floats, k, x, x.count)
      }
      #expect(written <= k && ids.isIntact && values.isIntact)
      let found = (0..<written).map { ids.raw.load(fromByteOffset: 4 * $0, as: Int32.self) }
      answers.append((found, Array(values.floatArray()[0..<written])))
    }
    let first = try #require(answers.first)
    for other in answers { #expect(other == first) }
    return first
  }

  @Test("the largest value wins, the first among equals")
  func largest() {
    var generator = SeededGenerator(22)
    for n in lengths where n > 0 {
      let x = (0..<n).map { _ in Float(Int.random(in: -9...9, using: &generator)) }
      let expected = x.firstIndex(of: x.reduce(-.infinity, max))
      #expect(argmax(x).allSatisfy { $0 == expected }, "n = \(n)")
    }
    #expect(argmax([-.infinity, -.infinity]).allSatisfy { $0 == 0 })
    #expect(argmax([0, -0.0, 0]).allSatisfy { $0 == 0 })
  }

  @Test("NaN is never chosen")
  func notANumber() throws {
    #expect(argmax([.nan, 1, .nan, 2, .nan]).allSatisfy { $0 == 3 })
    #expect(argmax([.nan, -.infinity]).allSatisfy { $0 == 1 })
    #expect(argmax([Float](repeating: .nan, count: 40)).allSatisfy { $0 == 40 })
    #expect(argmax([]).allSatisfy { $0 == 0 })
    var x = [Float](repeating: .nan, count: 50)
    x[20] = 1
    x[49] = 2
    #expect(try topK(x, 10) == ([49, 20], [2, 1]))
    #expect(try topK([Float](repeating: .nan, count: 20), 4) == ([], []))
  }

  @Test("the k largest in descending order, the first among equals")
  func severalLargest() throws {
    var generator = SeededGenerator(23)
    for n in [1, 5, 16, 17, 33, 100, 1001] {
      let wide = generator.floats(n)
      let ties = (0..<n).map { _ in Float(Int.random(in: -3...3, using: &generator)) }
      let rising = (0..<n).map { Float($0) }
      for x in [wide, ties, rising, Array(rising.reversed())] {
        let order = x.indices.sorted { x[$0] != x[$1] ? x[$0] > x[$1] : $0 < $1 }
        for k in [0, 1, 2, 7, 40, n] where k <= n {
          let (ids, values) = try topK(x, k)
          #expect(ids == order.prefix(k).map { Int32($0) }, "n = \(n), k = \(k)")
          #expect(values == order.prefix(k).map { x[$0] })
        }
      }
    }
  }
}
