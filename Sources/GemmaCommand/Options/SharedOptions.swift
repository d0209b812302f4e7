import Foundation
import Gemma

/// What stdout carries.
enum OutputFormat: String, CaseIterable {
  case text
  case json
}

/// The options that every command takes.
struct SharedOptions: OptionGroup {
  let threads = Option("threads", short: "t", .integer, "N", "threads (default: the processors there are)")
  let contextLength = Option(
    "context-length", short: "c", .integer, "N", "tokens the context holds (default: the model's, at most 4096)")
  let slice = Option(
    "slice", .slice, "NAME|FILE.csv:ROW",
    "a smaller size of a Gemma 3n model, such as e2b, half, 5/8 (default: full)")
  let kernels = Option("kernels", .text, "NAME", "kernel level, such as portable or avx2 (default: the fastest)")
  let activations = Option<GemmaModel.Options.Activations>(
    "activations", .name, "int8|float32", "precision of activations (default: int8)")
  let keyValueCache = Option<GemmaModel.Options.KeyValueCache>(
    "kv-cache", .name, "bf16|int8", "how keys and values are kept (default: bf16)")
  let reproducible = Flag("reproducible", "no BLAS: the same bits for unquantised weights too")
  let memoryLimit = Option("memory-limit", .size, "SIZE", "the most memory beside the weights, such as 500MB")
  let cacheLimit = Option("cache-limit", .size, "SIZE", "the most memory kept for reuse")
  let prefillChunk = Option(
    "prefill-chunk", .integer, "N", "prompt tokens that go through the layers together (default: 256)")
  let format = Option<OutputFormat>("format", .name, "text|json", "what stdout carries (default: text)")
  let verbose = Flag("verbose", short: "v", "statistics on stderr (run, score, bench)")
  let quiet = Flag("quiet", short: "q", "no progress and no warnings on stderr")
}

extension Arguments where Options == SharedOptions {
  var wantsJSON: Bool {
    get throws { try self[\.format] == .json }
  }

  /// Applies what concerns the whole process and returns what concerns the model.
  func apply() throws -> GemmaModel.Options {
    var options = GemmaModel.Options()
    options.threads = try self[\.threads]
    options.contextLength = try self[\.contextLength]
    options.prefillChunk = try self[\.prefillChunk]
    options.reproducible = self[\.reproducible]
    if let slice = try self[\.slice] { options.slice = slice }
    if let activations = try self[\.activations] { options.activations = activations }
    options.keyValueCache = try self[\.keyValueCache]
    // The library ignores a level it does not know; whoever typed one wants to hear of it.
    let variable = ProcessInfo.processInfo.environment["GEMMA_KERNELS"].flatMap { $0.isEmpty ? nil : $0 }
    if let name = try self[\.kernels] ?? variable { try Kernels.select(name) }
    if let limit = try self[\.memoryLimit] { Memory.memoryLimit = limit }
    if let limit = try self[\.cacheLimit] { Memory.cacheLimit = limit }
    _ = try wantsJSON
    try options.validate()
    return options
  }

  func warn(_ message: String) {
    if !self[\.quiet] { Console.error(message) }
  }
}
