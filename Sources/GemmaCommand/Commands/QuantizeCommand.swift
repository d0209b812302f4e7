import Foundation
import Gemma
import GemmaWeights

enum QuantizeCommand: Command {
  static let name = "quantize"
  static let abstract = "Writes a bf16, f16 or f32 folder with 4 or 8 bits"
  static let usage = "gemma quantize FOLDER -o NEW-FOLDER [options]"
  static let examples = [
    "gemma quantize ~/models/gemma-3-270m -o ~/models/gemma-3-270m-4bit",
    "gemma quantize ~/models/gemma-3-270m -o out --bits 8 --group-size 32 --keep embed_tokens",
  ]
  static var insteadOfShared: [PartialKeyPath<SharedOptions>: String] {
    [\.slice: "write the slice with `gemma slice`, then quantise that"]
  }

  struct Options: OptionGroup {
    let output = NewFolder.option
    let bits = Option("bits", .integer, "4|8", "bits of a weight (default: 4)")
    let groupSize = Option("group-size", .integer, "32|64|128", "weights that share a scale (default: 64)")
    let keep = RepeatedOption(
      "keep", .text, "PATTERN", "modules to leave as they are; * stands for any characters")
  }

  private struct Report: Encodable {
    var output: String
    var bits: Int
    var groupSize: Int
    var quantizedModules: Int
    var keptModules: [String]
    var bytesRead: Int
    var bytesWritten: Int
  }

  static func run(_ arguments: Arguments<Options>) async throws {
    try arguments.expectPositionals(atMost: 1)
    _ = try arguments.shared.apply()
    let isJSON = try arguments.shared.wantsJSON
    let source = try ModelArgument.folder(arguments.positional(0, "the folder to quantise"))
    let destination = try NewFolder.required(arguments[\.output])
    let (bits, group) = (try arguments[\.bits] ?? 4, try arguments[\.groupSize] ?? 64)
    let quantizer = try CheckpointQuantizer(bits: bits, group: group, keep: arguments[\.keep])
    let summary = try NewFolder.write("Quantising", to: destination, arguments.shared) { progress, shouldStop in
      try quantizer.run(from: source, to: destination, progress: progress, shouldStop: shouldStop)
    }
    if isJSON {
      try Console.output(
        json: Report(
          output: destination.path, bits: bits, groupSize: group, quantizedModules: summary.quantizedModules,
          keptModules: summary.keptModules, bytesRead: summary.bytesRead, bytesWritten: summary.bytesWritten))
    } else {
      Console.output(
        "\(destination.path): \(summary.quantizedModules) matrices with \(bits) bits, \(summary.keptModules.count) kept; "
          + "\(summary.bytesRead.inMegabytes) became \(summary.bytesWritten.inMegabytes)\n")
    }
    if let drafter = BundledDrafter.folder(in: source) {
      arguments.shared.warn(
        "gemma quantize: \(drafter.path) is not copied; it drafts for the new model too (--drafter, or a copy)")
    }
  }
}
