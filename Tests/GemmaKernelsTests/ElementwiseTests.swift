import Foundation
import GemmaKernels
import Testing

@Suite("Elementwise kernels")
struct ElementwiseTests {
  /// Runs an elementwise kernel on all lengths and misalignments, out of place and in place, on every level, and
  /// compares with `reference`.
  private func check(
    range: ClosedRange<Float> = -4...4, absolute: Double, relative: Double = 0,
    _ kernel: (_ y: UnsafeMutablePointer<Float>, _ x: UnsafePointer<Float>, _ b: UnsafePointer<Float>, Int) -> Void,
    reference: (_ x: Double, _ b: Double) -> Double
  ) throws {
    var generator = SeededGenerator(1)
    for n in lengths {
      let gap = n % 4
      let x = generator.floats(n, range)
      let b = generator.floats(n, range)
      let xs = try GuardedMemory(x, gap: gap)
      let bs = try GuardedMemory(b, gap: (gap + 1) % 4)
      let ys = try GuardedMemory(bytes: 4 * n, gap: 4 * ((gap + 2) % 4))
      let both = try GuardedMemory(x)
      let found = sameOnEveryLevel("n = \(n)") {
        ys.fill(7)
        kernel(ys.floats, xs.floats, bs.floats, n)
        return ys.floatArray()
      }
      let expected = zip(x, b).map { reference(Double($0), Double($1)) }
      #expect(firstOutside(found, expected, absolute: absolute, relative: relative) == nil, "n = \(n)")
      #expect(ys.isIntact)
      kernel(both.floats, both.floats, bs.floats, n)
      #expect(firstDifference(both.floatArray(), found) == nil, "in place, n = \(n)")
    }
  }

  @Test("tanh is within 2e-7 of the real one")
  func tanhIsAccurate() throws {
    try check(range: -12...12, absolute: 2e-7) { y, x, _, n in
      ck_tanh(y, x, n)
    } reference: { x, _ in
      tanh(x)
    }
    try check(range: -0.7...0.7, absolute: 1e-9, relative: 3e-7) { y, x, _, n in
      ck_tanh(y, x, n)
    } reference: { x, _ in
      tanh(x)
    }
  }

  @Test("tanh is odd, saturates exactly and keeps NaN")
  func tanhEnds() {
    let x: [Float] = [0, 0.1, 0.624, 0.625, 0.626, 1, 5, 9.1, 44, 89, 1e30, .infinity]
    let y = sameOnEveryLevel { mapped(x) { ck_tanh($0, $1, $2) } }
    let negated = sameOnEveryLevel { mapped(x.map { -$0 }) { ck_tanh($0, $1, $2) } }
    #expect(y.map { -$0 }.map(\.bitPattern) == negated.map(\.bitPattern))
    #expect(y[7...].allSatisfy { $0 == 1 })
    #expect(sameOnEveryLevel { mapped([.nan]) { ck_tanh($0, $1, $2) } }[0].isNaN)
    #expect(y[0].bitPattern == 0)
  }

  @Test("the gelu gate multiplies gelu of the gate with the other half")
  func geluGate() throws {
    try check(absolute: 2e-6, relative: 1e-6) { y, x, b, n in
      ck_gelu_gate(y, x, b, n)
    } reference: { x, b in
      0.5 * x * (1 + tanh((2 / Double.pi).squareRoot() * (x + 0.044715 * x * x * x))) * b
    }
  }

  @Test("softcap bounds values smoothly")
  func softcap() throws {
    try check(range: -200...200, absolute: 1e-5) { y, x, _, n in
      ck_softcap(y, x, 30, n)
    } reference: { x, _ in
      30 * tanh(x / 30)
    }
  }

  @Test("scaling and adding a scaled vector")
  func scaling() throws {
    try check(absolute: 0, relative: 1e-7) { y, x, _, n in
      ck_scale(y, x, 0.3, n)
    } reference: { x, _ in
      Double(Float(0.3)) * x
    }
    try check(absolute: 1e-6, relative: 1e-7) { y, x, b, n in
      ck_add_scaled(y, x, b, -1.7, n)
    } reference: { x, b in
      x + Double(Float(-1.7)) * b
    }
  }

  @Test("products with a stored vector", arguments: [ck_type.CK_F32, .CK_F16, .CK_BF16])
  func multiply(type: ck_type) throws {
    var generator = SeededGenerator(2)
    for n in lengths {
      let x = generator.floats(n)
      let w = try StoredValues(generator.floats(n), type, gap: n % 3)
      let y = sameOnEveryLevel { mapped(x) { ck_multiply($0, $1, w.vector(shift: 1), $2) } }
      let reference = zip(x, w.values).map { Double($0) * (Double($1) + 1) }
      #expect(firstOutside(y, reference, absolute: 1e-9, relative: 2e-7) == nil, "n = \(n)")
      let plain = sameOnEveryLevel {
        mapped(x) { ck_multiply($0, $1, ck_vector(data: nil, type: .CK_F32, shift: 0), $2) }
      }
      #expect(plain == x, "no weights mean all ones")
    }
  }

  @Test("storing rounds to nearest even and keeps infinities and NaN")
  func storing() throws {
    var generator = SeededGenerator(3)
    var values: [Float] = [0, -0.0, 1, 65504, 65519, 65520, 1e30, 3e38, .greatestFiniteMagnitude, 1e-8, 6e-8]
    values += [.infinity, -.infinity, .nan, 1.0009765, 1.00390625, 1.01171875, .leastNonzeroMagnitude, 3e-5, 6.1e-5]
    values += [0x1p-25, 0x1.000002p-25, 0x1.8p-24, 0x1.ffep-15, 0x1.fffp-15]
    values += (0..<4000).map { _ in Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &generator)) }
    values += generator.floats(500, -1e-4...1e-4) + generator.floats(501, -70000...70000)
    for n in [0, 1, 15, 16, 17, values.count] {
      let x = Array(values[0..<n])
      let halves = try GuardedMemory(bytes: 2 * n)
      let f16 = sameOnEveryLevel {
        ck_store(halves.raw, .CK_F16, x, n)
        return (0..<n).map { Float(halves.raw.loadUnaligned(fromByteOffset: 2 * $0, as: Float16.self)) }
      }
      #expect(firstDifference(f16, x.map { Float(Float16($0)) }) == nil)
      let bf16 = sameOnEveryLevel {
        ck_store(halves.raw, .CK_BF16, x, n)
        return (0..<n).map {
          Float(bitPattern: UInt32(halves.raw.loadUnaligned(fromByteOffset: 2 * $0, as: UInt16.self)) << 16)
        }
      }
      #expect(firstDifference(bf16, x.map { Float(bitPattern: UInt32(bfloat16($0)) << 16) }) == nil)
      #expect(halves.isIntact)
    }
  }

  @Test("AltUp's prediction adds a mix of the four streams to each")
  func altup() throws {
    var generator = SeededGenerator(4)
    for n in [0, 1, 15, 16, 33, 257] {
      let stride = n + 3
      let x = generator.floats(4 * stride)
      let c = generator.floats(16)
      let y = sameOnEveryLevel {
        var y = [Float](repeating: 7, count: 4 * stride)
        ck_altup_predict(&y, x, stride, c, n)
        return y
      }
      let reference = (0..<4 * stride).map { at -> Double in
        let (i, k) = (at / stride, at % stride)
        if k >= n { return 7 }
        return (0..<4).reduce(Double(x[at])) { $0 + Double(c[4 * i + $1]) * Double(x[$1 * stride + k]) }
      }
      #expect(firstOutside(y, reference, absolute: 1e-6) == nil, "n = \(n)")
    }
  }
}

/// The result of a kernel that maps n values to n values.
func mapped(_ x: [Float], _ kernel: (UnsafeMutablePointer<Float>, UnsafePointer<Float>, Int) -> Void) -> [Float] {
  [Float](unsafeUninitializedCapacity: x.count) { buffer, count in
    if let y = buffer.baseAddress {
      x.withUnsafeBufferPointer { input in
        if let x = input.baseAddress { kernel(y, x, input.count) }
      }
    }
    count = x.count
  }
}
