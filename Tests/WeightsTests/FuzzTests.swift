import CKernels
import Foundation
import Tensors
import TestSupport
import Testing
import Weights

@Suite("Random damage")
struct FuzzTests {
  /// SplitMix64 (Steele, Lea and Flood 2014): the same damage in every run.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  private func damaged(_ data: Data, _ generator: inout Generator) -> Data {
    var bytes = [UInt8](data)
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 2: bytes.removeLast(bytes.count - place)
      case 3: bytes.remove(at: place)
      default: bytes.insert(Array("0123456789-.eE[]{},:\"".utf8).randomElement(using: &generator) ?? 0, at: place)
      }
    }
    return Data(bytes)
  }

  @Test("2,500 damaged weight files and configurations open or give a typed error, and what opens can be read whole")
  func damage() throws {
    var generator = Generator(state: 2)
    let weights = SmallCheckpoint.safetensors(header: SmallCheckpoint.header, data: SmallCheckpoint.data)
    let config = Data(SmallCheckpoint.config.utf8)
    var refused = 0
    var sum = 0
    try Fixtures.withTemporaryFolder { folder in
      for round in 0..<2500 {
        let inWeights = round % 2 == 0
        // New files: some file systems write an overwritten one to the disk before they go on.
        for name in ["model.safetensors", "config.json"] where round > 0 {
          try FileManager.default.removeItem(at: folder.appending(path: name))
        }
        try (inWeights ? damaged(weights, &generator) : weights).write(to: folder.appending(path: "model.safetensors"))
        try (inWeights ? config : damaged(config, &generator)).write(to: folder.appending(path: "config.json"))
        do throws(GemmaError) {
          let checkpoint = try Checkpoint(at: folder)
          if checkpoint.contains("norm.weight") {
            let vector = try checkpoint.vector("norm.weight", count: 4, shift: 0)
            sum += UnsafeRawBufferPointer(start: vector.raw.data, count: 8).reduce(0) { $0 + Int($1) }
          }
          let matrix = try checkpoint.matrix("embed_tokens", rows: 2, columns: 32)
          sum += UnsafeRawBufferPointer(start: matrix.raw.data, count: 32).reduce(0) { $0 + Int($1) }
          sum += Int(try checkpoint.scalar("layers.0.layer_scalar").isNaN ? 1 : 0)
        } catch {
          refused += 1
          #expect(error.errorDescription?.isEmpty == false)
        }
      }
    }
    #expect(refused > 1250)
    #expect(refused < 2500)
    #expect(sum > 0)
  }
}
