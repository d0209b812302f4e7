import Foundation
import Gemma
import GemmaWeights

enum SliceCommand: Command {
  static let name = "slice"
  static let abstract = "Writes a MatFormer slice of a Gemma 3n folder as a model of its own"
  static let usage = "gemma slice MODEL NAME|FILE.csv:ROW -o NEW-FOLDER [options]"
  static let examples = [
    "gemma slice demo half -o ~/models/demo-half",
    "gemma slice ~/models/gemma-3n-E4B-it-4bit e2b -o ~/models/gemma-3n-E2B-it-4bit",
    "gemma slice ~/models/gemma-3n-E4B-it-4bit \"E2.98B (block-level)\" -o out",
  ]
  static var insteadOfShared: [PartialKeyPath<SharedOptions>: String] {
    [\.slice: "the slice is the second argument"]
  }

  struct Options: OptionGroup {
    let output = NewFolder.option
  }

  private struct Report: Encodable {
    var output: String
    var slice: String
    var layers: Int
    var bytesRead: Int
    var bytesWritten: Int
    var rescaling: String?
  }

  static func run(_ arguments: Arguments<Options>) async throws {
    try arguments.expectPositionals(atMost: 2)
    _ = try arguments.shared.apply()
    let isJSON = try arguments.shared.wantsJSON
    let source = try ModelArgument.folder(arguments.positional(0, "the model"))
    let slice = try MatFormerSlice(argument: arguments.positional(1, "the slice"))
    let destination = try NewFolder.required(arguments[\.output])
    let summary = try NewFolder.write("Slicing", to: destination, arguments.shared) { progress, shouldStop in
      try CheckpointSlicer(slice).run(from: source, to: destination, progress: progress, shouldStop: shouldStop)
    }
    if isJSON {
      try Console.output(
        json: Report(
          output: destination.path, slice: slice.name, layers: summary.layers, bytesRead: summary.bytesRead,
          bytesWritten: summary.bytesWritten, rescaling: summary.rescaling))
    } else {
      Console.output(
        "\(destination.path): \(slice.name), \(summary.layers) layers; "
          + "\(summary.bytesRead.inMegabytes) became \(summary.bytesWritten.inMegabytes)\n"
          + (summary.rescaling.map { "\($0)\n" } ?? ""))
    }
  }
}
