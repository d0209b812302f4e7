import Foundation
import GemmaKernels
import Testing

@Suite("Reductions over rows")
struct ReductionTests {
  @Test("RMS norm of several rows", arguments: [ck_type.CK_F32, .CK_F16, .CK_BF16])
  func rmsNorm(type: ck_type) throws {
    var generator = SeededGenerator(5)
    for n in lengths {
      let rows = 3
      let xStride = n + 2
      let yStride = n + 1
      let x = generator.floats(rows * xStride, -3...3)
      let w = try StoredValues(generator.floats(n), type, gap: n % 3)
      let xs = try GuardedMemory(x, gap: n % 4)
      let ys = try GuardedMemory(bytes: 4 * rows * yStride, gap: 4)
      let y = sameOnEveryLevel("n = \(n)") {
        ys.fill(7)
        ck_rms_norm(ys.floats, yStride, xs.floats, xStride, w.vector(shift: 1), n, 1e-6, 1, rows)
        return ys.floatArray()
      }
      let reference = (0..<rows * yStride).map { at -> Double in
        let (row, k) = (at / yStride, at % yStride)
        if row == 0 || k == n { return 7 }
        let values = x[row * xStride..<row * xStride + n].map { Double($0) }
        let mean = values.reduce(0) { $0 + $1 * $1 } / Double(n)
        return values[k] / (mean + 1e-6).squareRoot() * (Double(w.values[k]) + 1)
      }
      #expect(firstOutside(y, reference, absolute: 1e-7, relative: 2e-6) == nil, "n = \(n)")
      #expect(ys.isIntact)
    }
  }

  @Test("RMS norm shows a NaN in its row and in no other")
  func rmsNormNaN() {
    let x: [Float] = [1, 2, .nan, 4, 5, 6]
    let y = sameOnEveryLevel {
      var y = [Float](repeating: 0, count: 6)
      ck_rms_norm(&y, 3, x, 3, ck_vector(data: nil, type: .CK_F32, shift: 0), 3, 1e-6, 0, 2)
      return y
    }
    #expect(allNaN(Array(y[0..<3])))
    #expect(y[3...].allSatisfy { $0.isFinite })
  }

  @Test("mean square, softmax and log-sum-exp against Double")
  func sums() throws {
    var generator = SeededGenerator(6)
    for n in lengths where n > 0 {
      let x = generator.floats(n, -30...30)
      let xs = try GuardedMemory(x, gap: n % 4)
      let exact = x.map { Double($0) }
      let square = sameOnEveryLevel { [ck_mean_square(xs.floats, n)] }
      #expect(firstOutside(square, [exact.reduce(0) { $0 + $1 * $1 } / Double(n)], absolute: 0, relative: 1e-6) == nil)
      let top = exact.reduce(-Double.infinity, max)
      let total = exact.reduce(0) { $0 + exp($1 - top) }
      let y = sameOnEveryLevel("n = \(n)") { mapped(x) { ck_softmax($0, $1, $2) } }
      let soft = exact.map { exp($0 - top) / total }
      // The kernel rounds x - max to float32 before exp: half a unit of up to 60.
      #expect(firstOutside(y, soft, absolute: 1e-30, relative: 5e-6) == nil, "n = \(n)")
      let logarithm = sameOnEveryLevel { [ck_log_sum_exp(xs.floats, n)] }
      #expect(firstOutside(logarithm, [top + log(total)], absolute: 1e-6, relative: 1e-6) == nil)
    }
  }

  @Test("exp is within 2 units in the last place, seen through a softmax of two")
  func expIsAccurate() {
    var worst = 0.0
    for step in 0...8700 {
      // exp(-v) / (1 + exp(-v)): the division and the sum add at most one rounding each.
      let v = Float(step) / 100
      let y = mapped([0, -v]) { ck_softmax($0, $1, $2) }
      let e = exp(-Double(v))
      worst = max(worst, abs(Double(y[1]) / (e / (1 + e)) - 1))
    }
    #expect(worst < 4 * 0x1p-24 + 0x1p-23)
  }

  @Test("exp underflows to zero and softmax of minus infinity is zero")
  func expEnds() {
    let y = sameOnEveryLevel { mapped([0, -88, -1000, -.infinity]) { ck_softmax($0, $1, $2) } }
    #expect(y == [1, 0, 0, 0])
    let undefined = sameOnEveryLevel { mapped([0, .nan]) { ck_softmax($0, $1, $2) } }
    #expect(allNaN(undefined))
    #expect(sameOnEveryLevel { mapped([1, .infinity]) { ck_softmax($0, $1, $2) } }[1].isNaN)
  }

  @Test("the Gaussian top-k keeps what exceeds mean + z deviations")
  func gaussianTopK() throws {
    var generator = SeededGenerator(7)
    for n in lengths where n > 0 {
      let x = generator.floats(n, -2...5)
      let y = sameOnEveryLevel("n = \(n)") {
        var y = x
        ck_gaussian_top_k(&y, n, 0.7)
        return y
      }
      let exact = x.map { Double($0) }
      let mean = exact.reduce(0, +) / Double(n)
      let variance = exact.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(n)
      let cutoff = mean + Double(Float(0.7)) * variance.squareRoot()
      #expect(firstOutside(y, exact.map { max($0 - cutoff, 0) }, absolute: 3e-6) == nil, "n = \(n)")
    }
    let undefined = sameOnEveryLevel {
      var y: [Float] = [1, .nan, 3]
      ck_gaussian_top_k(&y, 3, 1)
      return y
    }
    #expect(allNaN(undefined))
  }
}
