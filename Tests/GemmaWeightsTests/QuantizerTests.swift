import Foundation
import GemmaKernels
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

@Suite("Quantising a checkpoint")
struct QuantizerTests {
  /// The 64 weights for which `Tests/Reference/fixturelib/affine.py` (itself equal to mlx) gave the numbers below.
  private static let weights: [Float] = (0..<64).map { (index: Int) -> Float in
    let step: Float = index < 32 ? 0.0859375 : -0.171875
    let place: Int = (index * 37 + 11) % 64 - 29
    return Float(place) * step
  }

  private func quantized(_ quantizer: AffineQuantizer, group: Int) throws -> (
    codes: [UInt8], scale: UInt32, bias: UInt32
  ) {
    var codes = [UInt8](repeating: 0, count: quantizer.group * quantizer.bits / 8)
    let values = Array(Self.weights[(group * 32)..<(group * 32 + 32)])
    let pair = values.withUnsafeBufferPointer { values in
      codes.withUnsafeMutableBufferPointer { quantizer.quantize(values, into: $0) }
    }
    let (scale, bias) = try #require(pair)
    return (codes, scale.bitPattern, bias.bitPattern)
  }

  @Test("codes, scales and biases are those of the reference, bit for bit")
  func reference() throws {
    let q4g0 = try quantized(AffineQuantizer(bits: 4, group: 32), group: 0)
    #expect(
      q4g0.codes == [
        60, 26, 232, 197, 146, 112, 78, 43, 248, 214, 164, 129, 94, 60, 10, 231,
      ])
    #expect(q4g0.scale == 0xBEB0_0000 && q4g0.bias == 0x4030_0000)
    let q4g1 = try quantized(AffineQuantizer(bits: 4, group: 32), group: 1)
    #expect(
      q4g1.codes == [
        181, 146, 96, 77, 42, 232, 198, 163, 113, 94, 59, 9, 215, 180, 130, 111,
      ])
    #expect(q4g1.scale == 0x3F3B_0000 && q4g1.bias == 0xC0BB_0000)
    let q8g0 = try quantized(AffineQuantizer(bits: 8, group: 32), group: 0)
    #expect(
      q8g0.codes == [
        209, 54, 168, 13, 126, 239, 84, 197, 42, 155, 0, 113, 226, 71, 184, 29,
        142, 255, 100, 214, 59, 172, 17, 130, 243, 88, 201, 46, 159, 4, 117, 230,
      ])
    #expect(q8g0.scale == 0xBCA8_1E91 && q8g0.bias == 0x4030_0000)
    let q8g1 = try quantized(AffineQuantizer(bits: 8, group: 32), group: 1)
    #expect(
      q8g1.codes == [
        82, 194, 41, 152, 0, 111, 222, 70, 181, 29, 140, 251, 99, 210, 58, 169,
        16, 128, 239, 86, 198, 45, 156, 4, 115, 226, 74, 185, 33, 144, 255, 103,
      ])
    #expect(q8g1.scale == 0x3D2A_F8B0 && q8g1.bias == 0xC0BB_0000)
  }

  @Test("a group of zeros keeps zeros, and one with NaN, infinity or an infinite range is refused")
  func edges() {
    let quantizer = AffineQuantizer(bits: 4, group: 32)
    var codes = [UInt8](repeating: 0, count: 16)
    func run(_ values: [Float]) -> (scale: Float, bias: Float)? {
      values.withUnsafeBufferPointer { values in
        codes.withUnsafeMutableBufferPointer { quantizer.quantize(values, into: $0) }
      }
    }
    #expect(run(Array(repeating: 0, count: 32))?.bias == 0)
    #expect(codes == Array(repeating: 0, count: 16))
    for bad in [Float.nan, .infinity, -.infinity] { #expect(run(Array(repeating: 0, count: 31) + [bad]) == nil) }
    #expect(run([3e38, -3e38] + Array(repeating: 0, count: 30)) == nil)
  }

  @Test("a quantised folder opens, has the same configuration, and restores each weight to within one step")
  func roundTrip() throws {
    for (name, bits) in [("gemma3n-full", 8), ("gemma4-e", 4), ("gemma3n-bare", 4), ("gemma3-f32-linear-rope", 8)] {
      try Fixtures.withTemporaryFolder { folder in
        let target = folder.appending(path: "quantized")
        let quantizer = try CheckpointQuantizer(bits: bits, group: 32, keep: ["layers.0.*.q_proj"])
        var shares: [Double] = []
        let summary = try quantizer.run(from: Fixtures.model(name), to: target, progress: { shares.append($0) })
        #expect(shares == shares.sorted() && shares.last == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["quantized"])
        let before = try Checkpoint(at: Fixtures.model(name))
        let after = try Checkpoint(at: target)
        #expect(after.configuration == before.configuration && after.generation == before.generation)
        #expect(summary.quantizedModules > 10 && summary.bytesWritten == after.mappedBytes)
        #expect(summary.keptModules.contains { $0.hasSuffix("layers.0.self_attn.q_proj") })
        #expect(
          after.contains("layers.0.self_attn.q_proj.weight") && !after.contains("layers.0.self_attn.q_proj.scales"))
        #expect(after.contains("layers.1.self_attn.q_proj.scales"))
        let model = before.configuration
        let plain = try before.matrix("embed_tokens", rows: model.vocabularySize, columns: model.hiddenSize)
        let coded = try after.matrix("embed_tokens", rows: model.vocabularySize, columns: model.hiddenSize)
        #expect(coded.raw.type == (bits == 4 ? .CK_Q4 : .CK_Q8) && coded.raw.group == 32)
        for row in 0..<model.vocabularySize { try compare(plain.raw, coded.raw, row: row) }
      }
    }
  }

  /// Half a step, another half at the far end of a group whose scale was adjusted to hold zero, and the rounding of
  /// scale and bias to 8 bits of significand.
  private func compare(_ plain: ck_matrix, _ coded: ck_matrix, row: Int) throws {
    for column in 0..<plain.columns {
      let index = row * plain.columns + column
      let value = element(plain.data, plain.type, index)
      let codes = try #require(coded.data)
      let code: UInt8 =
        if coded.type == .CK_Q8 {
          codes.load(fromByteOffset: index, as: UInt8.self)
        } else {
          codes.load(fromByteOffset: index / 2, as: UInt8.self) >> (index % 2 == 0 ? 0 : 4) & 15
        }
      let scale = element(coded.scales, coded.scale_type, index / coded.group)
      let bias = element(coded.biases, coded.scale_type, index / coded.group)
      let slack = (scale.magnitude * Float(code) + bias.magnitude) / 256
      guard abs(scale * Float(code) + bias - value) <= scale.magnitude + slack else {
        Issue.record("row \(row), column \(column): \(value) became \(scale * Float(code) + bias), step \(scale)")
        return
      }
    }
  }

  private func element(_ data: UnsafeRawPointer?, _ type: ck_type, _ index: Int) -> Float {
    guard let data else { return .nan }
    switch type {
    case .CK_F32: return data.loadUnaligned(fromByteOffset: index * 4, as: Float.self)
    case .CK_BF16:
      return Float(bitPattern: UInt32(data.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)) << 16)
    default:  // binary16 by its definition
      let bits = data.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)
      let exponent = Int(bits >> 10 & 31)
      let fraction = Float(bits & 1023) / 1024
      let magnitude =
        exponent == 0
        ? Float(sign: .plus, exponent: -14, significand: fraction)
        : Float(sign: .plus, exponent: exponent - 15, significand: 1 + fraction)
      return bits & 0x8000 == 0 ? magnitude : -magnitude
    }
  }

  @Test("an interruption at any step leaves nothing behind, neither under the final name nor beside it")
  func interruption() throws {
    for allowed in [0, 1, 20, 60] {
      try Fixtures.withTemporaryFolder { folder in
        var asked = 0
        let quantizer = try CheckpointQuantizer(bits: 4, group: 32)
        #expect(throws: CancellationError.self) {
          try quantizer.run(
            from: Fixtures.model("gemma3-bf16"), to: folder.appending(path: "out"),
            shouldStop: {
              asked += 1
              return asked > allowed
            })
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
      }
    }
  }

  @Test(
    "quantised sources, existing or unwritable targets, odd options and weights that are not finite are typed errors")
  func refusals() throws {
    for (bits, group) in [(3, 64), (4, 16), (0, 0)] {
      #expect(throws: GemmaError.self) { try CheckpointQuantizer(bits: bits, group: group) }
    }
    #expect(throws: GemmaError.self) { try CheckpointQuantizer(bits: 4, group: 64, keep: [""]) }
    let quantizer = try CheckpointQuantizer(bits: 4, group: 32)
    try Fixtures.withTemporaryFolder { folder in
      let plain = Fixtures.model("gemma3-bf16")
      let target = folder.appending(path: "out")
      #expect(throws: GemmaError.self) { try quantizer.run(from: Fixtures.model("gemma3-q4-g64"), to: target) }
      #expect(throws: GemmaError.self) { try quantizer.run(from: plain, to: folder) }
      #expect(throws: GemmaError.self) { try quantizer.run(from: plain, to: folder.appending(path: "absent/out")) }
      let misspelt = try CheckpointQuantizer(bits: 4, group: 32, keep: ["embed_tokens", "q_porj"])
      let unmatched = #expect(throws: GemmaError.self) { try misspelt.run(from: plain, to: target) }
      #expect(unmatched?.errorDescription?.contains("q_porj") == true)
      let damaged = folder.appending(path: "damaged")
      try FileManager.default.createDirectory(at: damaged, withIntermediateDirectories: false)
      let header = "{\"model.embed_tokens.weight\":{\"dtype\":\"F32\",\"shape\":[2,32],\"data_offsets\":[0,256]}}"
      let config = SmallCheckpoint.config.replacing("\"quantization\"", with: "\"unused\"")
      try SmallCheckpoint.write(
        config: config, weights: SmallCheckpoint.safetensors(header: header, data: Data(repeating: 0xFF, count: 256)),
        to: damaged)
      let error = #expect(throws: GemmaError.self) { try quantizer.run(from: damaged, to: target) }
      #expect(error?.errorDescription?.contains("embed_tokens") == true)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["damaged"])
    }
  }
}
