import Foundation
import GemmaKernels
import Testing

@Suite("Rotary embedding")
struct RopeTests {
  @Test("each pair turns by its angle", arguments: [2, 6, 32, 34, 64, 128, 256, 512])
  func rotation(headDim: Int) throws {
    var generator = SeededGenerator(8)
    let heads = 3
    let pairs = headDim / 2
    let x = generator.floats(heads * headDim)
    let angles = generator.floats(pairs, -4...4)
    let c = angles.map { cos($0) }
    let s = angles.map { sin($0) }
    let cs = try GuardedMemory(c)
    let ss = try GuardedMemory(s)
    let memory = try GuardedMemory(x, gap: 1)
    let y = sameOnEveryLevel {
      memory.floats.update(from: x, count: x.count)
      ck_rope(memory.floats, heads, headDim, cs.floats, ss.floats)
      return memory.floatArray()
    }
    let reference = x.indices.map { at -> Double in
      let (h, k) = (at / headDim, at % headDim)
      let p = k % pairs
      let first = Double(x[h * headDim + p])
      let second = Double(x[h * headDim + p + pairs])
      return k < pairs
        ? first * Double(c[p]) - second * Double(s[p]) : second * Double(c[p]) + first * Double(s[p])
    }
    #expect(firstOutside(y, reference, absolute: 2e-7) == nil)
    #expect(memory.isIntact)
  }

  @Test("pairs with cosine 1 and sine 0 keep their bits")
  func unturnedPairs() {
    var generator = SeededGenerator(9)
    let x = generator.floats(64)
    let y = sameOnEveryLevel {
      var y = x
      ck_rope(&y, 1, 64, [Float](repeating: 1, count: 32), [Float](repeating: 0, count: 32))
      return y
    }
    #expect(y == x)
  }

  @Test("the table rounds the angle to float32 first")
  func table() {
    let frequencies: [Float] = [1, 0.3, 1e-4]
    let first = 131_000
    let count = 3
    var c = [Float](repeating: 0, count: 9)
    var s = c
    ck_rope_table(&c, &s, frequencies, 3, first, count)
    for i in 0..<count {
      for k in 0..<3 {
        let angle = Double(Float(first + i) * frequencies[k])
        #expect(c[3 * i + k] == Float(cos(angle)))
        #expect(s[3 * i + k] == Float(sin(angle)))
      }
    }
  }
}
