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
  static let options = [
    OptionSpec("output", short: "o", value: "FOLDER", "the new folder; must not exist"),
    OptionSpec("bits", value: "4|8", "bits of a weight (default: 4)"),
    OptionSpec("group-size", value: "32|64|128", "weights that share a scale (default: 64)"),
    OptionSpec("keep", value: "PATTERN", repeats: true, "modules to leave as they are; * stands for any characters"),
  ]
  static let insteadOfShared = ["slice": "write the slice with `gemma slice`, then quantise that"]

  private struct Report: Encodable {
    var output: String
    var bits: Int
    var groupSize: Int
    var quantizedModules: Int
    var keptModules: [String]
    var bytesRead: Int
    var bytesWritten: Int
  }

  static func run(_ arguments: Arguments) async throws {
    try arguments.expectPositionals(atMost: 1)
    _ = try SharedOptions.apply(arguments)
    let isJSON = try SharedOptions.wantsJSON(arguments)
    let source = try SharedOptions.folder(arguments.positional(0, "the folder to quantise"))
    let destination = try SharedOptions.newFolder(arguments)
    let (bits, group) = (try arguments.integer("bits") ?? 4, try arguments.integer("group-size") ?? 64)
    let quantizer = try CheckpointQuantizer(bits: bits, group: group, keep: arguments.strings("keep"))
    let summary = try FolderWriting.run("Quantising", to: destination, arguments) { progress, shouldStop in
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
    let drafter = source.appending(path: SpeculationOptions.bundledName)
    if FileManager.default.fileExists(atPath: drafter.path), !arguments.has("quiet") {
      Console.error(
        "gemma quantize: \(drafter.path) is not copied; it drafts for the new model too (--drafter, or a copy)")
    }
  }
}
