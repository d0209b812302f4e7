import GemmaKernels
import GemmaModels
import GemmaRuntime
import GemmaWeights
import Testing

/// Serialised: one of the tests switches the kernels' level, which holds for the whole process.
@Suite("The answer does not depend on how it is computed", .serialized)
struct SameBitsTests {
  private static let modes = [ComputeOptions(threads: 2), ComputeOptions(threads: 2, keyValueCache: .int8), exact]

  /// int8 activations promise this for quantised models; the rest is canonical with `reproducible` alone.
  private static func promised(_ model: LoadedModel, _ options: ComputeOptions, quantised: Bool) -> ComputeOptions {
    var options = options
    options.reproducible = options.reproducible || !quantised
    return options
  }

  @Test("Chunks of 1, 7, 64 and all at once give the same logits bit for bit", arguments: fixtureNames)
  func chunks(name: String) throws {
    let model = try load(name)
    let prompt = try Expectations.of(name).longest
    for mode in Self.modes {
      var options = Self.promised(model, mode, quantised: name.contains("-q") || name.contains("big-heads"))
      var first: [[UInt32]]?
      for chunk in [prompt.count, 64, 7, 1] {
        options.prefillChunk = chunk
        let timeline = try Timeline(model, contextLength: prompt.count, options: options)
        let rows = bits(try timeline.score(prompt))
        if let first { #expect(rows == first, "chunk \(chunk), float32 \(mode.float32Activations)") }
        first = first ?? rows
        // Rows that stop early leave the last one as it is.
        let last = try Timeline(model, contextLength: prompt.count, options: options)
        try last.append(prompt)
        #expect(last.logits.map(\.bitPattern) == rows.last, "last row alone, chunk \(chunk)")
      }
    }
  }

  @Test(
    "All kernel levels and 1, 2 and 3 threads give the same logits bit for bit",
    arguments: ["gemma3n-q4-g64", "gemma4-q8-g32", "gemma4-big-heads", "gemma3-bf16"])
  func levelsAndThreads(name: String) throws {
    let model = try load(name)
    let prompt = try Expectations.of(name).longest
    let before = String(cString: ck_level_current())
    defer { #expect(ck_level_select(before)) }
    for var options in Self.modes {
      options.reproducible = true
      options.prefillChunk = 64
      var first: [[UInt32]]?
      for level in 0..<ck_level_count() {
        #expect(ck_level_select(ck_level_name(level)))
        for threads in 1...3 {
          options.threads = threads
          let rows = bits(try Timeline(model, contextLength: prompt.count, options: options).score(prompt))
          if let first { #expect(rows == first, "level \(String(cString: ck_level_name(level))), \(threads) threads") }
          first = first ?? rows
        }
      }
    }
  }

  @Test(
    "Threads share the keys of a long context without changing bits", arguments: ["gemma4-q8-g32", "gemma3n-q4-g64"])
  func longContext(name: String) throws {
    let model = try load(name)
    let prompt = (0..<1300).map { TokenID(($0 * 37 + 11) % model.configuration.vocabularySize) }
    for cache in KeyValueCacheType.allCases {
      var first: [UInt32]?
      for (threads, chunk) in [(1, 256), (2, 100), (3, 256), (2, 1)] {
        let options = ComputeOptions(threads: threads, keyValueCache: cache, prefillChunk: chunk)
        let timeline = try Timeline(model, contextLength: prompt.count + 2, options: options)
        try timeline.append(prompt)
        try timeline.append([5])
        try timeline.append([7])
        let logits = timeline.logits.map(\.bitPattern)
        if let first { #expect(logits == first, "\(cache), \(threads) threads, chunk \(chunk)") }
        first = first ?? logits
      }
    }
  }

  @Test("int8 caches stay near bf16 ones", arguments: fixtureNames)
  func int8CacheNearBfloat16(name: String) throws {
    let model = try load(name)
    let prompt = try Expectations.of(name).longest
    let rows = try KeyValueCacheType.allCases.map { cache in
      let options = ComputeOptions(threads: 2, float32Activations: true, keyValueCache: cache, reproducible: true)
      return try Timeline(model, contextLength: prompt.count, options: options).score(prompt).map(logSoftmax)
    }
    let differences = zip(rows[0], rows[1]).flatMap { zip($0, $1).map { abs($0 - $1) } }
    let mean = differences.reduce(0, +) / Float(differences.count)
    // As below: trained weights damp what these amplify.
    #expect(mean < 0.15)
    #expect(mean > 0)
  }

  @Test("int8 activations and bf16 caches stay near float32", arguments: fixtureNames)
  func int8NearFloat32(name: String) throws {
    let model = try load(name)
    let prompt = try Expectations.of(name).longest
    let near = try Timeline(model, contextLength: prompt.count, options: Self.modes[0]).score(prompt).map(logSoftmax)
    let truth = try Timeline(model, contextLength: prompt.count, options: exact).score(prompt).map(logSoftmax)
    // Random weights amplify what trained ones damp: the mean over all pieces and positions is what must be small.
    let differences = zip(near, truth).flatMap { zip($0, $1).map { abs($0 - $1) } }
    let mean = differences.reduce(0, +) / Float(differences.count)
    #expect(mean < 0.25)
    #expect(mean > 0)
  }
}
