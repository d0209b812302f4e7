import Foundation
import Gemma
import GemmaDemoModel

/// The options that every command takes.
enum SharedOptions {
  static let specs = [
    OptionSpec("threads", short: "t", value: "N", "threads (default: the processors there are)"),
    OptionSpec(
      "context-length", short: "c", value: "N", "tokens the context holds (default: the model's, at most 4096)"),
    OptionSpec(
      "slice", value: "NAME|FILE.csv:ROW", "a smaller size of a Gemma 3n model, such as e2b, half, 5/8 (default: full)"),
    OptionSpec("kernels", value: "NAME", "kernel level, such as portable or avx2 (default: the fastest)"),
    OptionSpec("activations", value: "int8|float32", "precision of activations (default: int8)"),
    OptionSpec("kv-cache", value: "bf16|int8", "how keys and values are kept (default: bf16)"),
    OptionSpec("reproducible", "no BLAS: the same bits for unquantised weights too"),
    OptionSpec("memory-limit", value: "SIZE", "the most memory beside the weights, such as 500MB"),
    OptionSpec("cache-limit", value: "SIZE", "the most memory kept for reuse"),
    OptionSpec("prefill-chunk", value: "N", "prompt tokens that go through the layers together (default: 256)"),
    OptionSpec("format", value: "text|json", "what stdout carries (default: text)"),
    OptionSpec("verbose", short: "v", "statistics on stderr (run, score, bench)"),
    OptionSpec("quiet", short: "q", "no progress and no warnings on stderr"),
  ]

  /// Applies what concerns the whole process and returns what concerns the model.
  static func apply(_ arguments: Arguments) throws -> GemmaModel.Options {
    var options = GemmaModel.Options()
    options.threads = try arguments.integer("threads")
    options.contextLength = try arguments.integer("context-length")
    options.prefillChunk = try arguments.integer("prefill-chunk")
    options.reproducible = arguments.has("reproducible")
    if let name = arguments.string("slice") { options.slice = try slice(name) }
    if let name = arguments.string("activations") {
      guard let activations = GemmaModel.Options.Activations(rawValue: name) else {
        throw UsageError("--activations is int8 or float32, not \"\(name)\"")
      }
      options.activations = activations
    }
    if let name = arguments.string("kv-cache") {
      guard let cache = GemmaModel.Options.KeyValueCache(rawValue: name) else {
        throw UsageError("--kv-cache is bf16 or int8, not \"\(name)\"")
      }
      options.keyValueCache = cache
    }
    // The library ignores a level it does not know; whoever typed one wants to hear of it.
    let variable = ProcessInfo.processInfo.environment["GEMMA_KERNELS"].flatMap { $0.isEmpty ? nil : $0 }
    if let name = arguments.string("kernels") ?? variable { try Kernels.select(name) }
    if let limit = try arguments.bytes("memory-limit") { Memory.memoryLimit = limit }
    if let limit = try arguments.bytes("cache-limit") { Memory.cacheLimit = limit }
    _ = try wantsJSON(arguments)
    try options.validate()
    return options
  }

  /// A slice by name, or "recipes.csv:row" for a row of a recipe file.
  static func slice(_ name: String) throws -> MatFormerSlice {
    guard let end = name.range(of: ".csv:", options: .caseInsensitive) else {
      if name.lowercased().hasSuffix(".csv") {
        throw UsageError("a recipe file needs the name of one of its rows: \(name):NAME")
      }
      return try MatFormerSlice(named: name)
    }
    let file = URL(filePath: String(name[..<end.upperBound].dropLast()))
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw GemmaError.modelNotFound(file, reason: "there is no such recipe file")
    }
    return try MatFormerSlice(contentsOf: file, row: String(name[end.upperBound...]))
  }

  static func wantsJSON(_ arguments: Arguments) throws(UsageError) -> Bool {
    switch arguments.string("format") {
    case nil, "text": return false
    case "json": return true
    case let other?: throw UsageError("--format is text or json, not \"\(other)\"")
    }
  }

  /// The folder behind a model's name.
  static func folder(_ name: String) throws -> URL {
    guard !name.isEmpty else { throw UsageError("the model's name is empty; give a folder or demo") }
    if let demo = DemoModel(rawValue: name) {
      guard let folder = demo.folder else {
        throw GemmaError.modelNotFound(
          URL(filePath: name),
          reason:
            "the demo's resource folder is not beside the executable; keep swift-gemma_GemmaDemoModel.resources with it")
      }
      return folder
    }
    if name.hasSuffix(".gguf") {
      guard FileManager.default.fileExists(atPath: name) else {
        throw GemmaError.modelNotFound(URL(filePath: name), reason: "there is no such file")
      }
      throw GemmaError.unsupportedModel("GGUF files are not read yet; give a folder with safetensors")
    }
    var status = stat()
    if stat(name, &status) != 0, errno == ENOENT {
      throw GemmaError.modelNotFound(
        URL(filePath: name),
        reason: "there is no such folder; models are not downloaded, give one that is there, or demo")
    }
    return URL(filePath: name)
  }

  /// The folder that a command is to make, from its own `--output`.
  static func newFolder(_ arguments: Arguments) throws(UsageError) -> URL {
    guard let path = arguments.string("output") else { throw UsageError("the new folder is missing: -o FOLDER") }
    guard !path.isEmpty else { throw UsageError("the new folder needs a name") }
    return URL(filePath: path)
  }

  /// Loads the model of the first positional argument.
  static func load(_ name: String, _ arguments: Arguments) async throws -> GemmaModel {
    try await load(name, arguments, options: apply(arguments))
  }

  static func load(_ name: String, _ arguments: Arguments, options: GemmaModel.Options) async throws -> GemmaModel {
    let line = ProgressLine(arguments)
    defer { line.clear() }
    let model = try await GemmaModel(at: folder(name), options: options) { progress in
      line.show("Loading: \(progress.stage.rawValue)")
    }
    line.clear()
    let known = model.info.maximumPositions
    if let wanted = try arguments.integer("context-length"), wanted > known, !arguments.has("quiet") {
      Console.error(
        "gemma: a context of \(wanted) tokens; the model knows \(known) positions and may ramble beyond them")
    }
    return model
  }
}

extension Arguments {
  /// The positional argument at an index, or an error that says what is missing.
  func positional(_ index: Int, _ what: String) throws(UsageError) -> String {
    guard positionals.indices.contains(index) else { throw UsageError("\(what) is missing") }
    return positionals[index]
  }

  func expectPositionals(atMost count: Int) throws(UsageError) {
    guard positionals.count <= count else {
      throw UsageError("unexpected argument \"\(positionals[count])\"; put text with spaces in quotes")
    }
  }
}
