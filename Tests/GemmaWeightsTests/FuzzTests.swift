import Foundation
import GemmaKernels
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

@Suite("Random damage")
struct FuzzTests {
  @Test("2,500 damaged weight files and configurations open or give a typed error, and what opens can be read whole")
  func damage() throws {
    var generator = DamageGenerator(seed: 2)
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
        try (inWeights ? weights.damaged(&generator) : weights).write(to: folder.appending(path: "model.safetensors"))
        try (inWeights ? config : config.damaged(&generator)).write(to: folder.appending(path: "config.json"))
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
