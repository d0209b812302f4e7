import Foundation
import GemmaModels
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

@Suite("A timeline keeps exactly what it says")
struct TimelineTests {
  @Test("Going back and on again gives the same bits", arguments: ["gemma3-q8-g32", "gemma3n-full", "gemma4-e"])
  func rewind(name: String) throws {
    let model = try load(name)
    let expectations = try Expectations.of(name)
    let prompt = expectations.longest
    var options = ComputeOptions(threads: 2, reproducible: true)
    options.prefillChunk = 40
    let timeline = try Timeline(model, contextLength: prompt.count, options: options)
    try timeline.append(prompt)
    let wanted = timeline.logits.map(\.bitPattern)
    // The ring holds window - 1 + 40 positions at least.
    let target = prompt.count - 12
    #expect(timeline.rewind(to: target) == target)
    #expect(timeline.tokens == Array(prompt[..<target]))
    #expect(timeline.logits.isEmpty)
    try timeline.append(Array(prompt[target...]))
    #expect(timeline.logits.map(\.bitPattern) == wanted)
  }

  @Test("A wrapped ring that has lost positions goes back to nothing and is right again")
  func rewindTooFar() throws {
    let model = try load("gemma3n-full")
    let prompt = try Expectations.of("gemma3n-full").longest
    var options = exact
    options.prefillChunk = 4
    let timeline = try Timeline(model, contextLength: prompt.count, options: options)
    try timeline.append(prompt)
    let wanted = timeline.logits.map(\.bitPattern)
    #expect(timeline.rewind(to: prompt.count / 2) == 0)
    #expect(timeline.tokens.isEmpty)
    try timeline.append(prompt)
    #expect(timeline.logits.map(\.bitPattern) == wanted)
  }

  @Test("A prompt that was stopped half-way goes on from its last complete chunk with the same bits")
  func stopped() throws {
    let model = try load("gemma4-e")
    let prompt = try Expectations.of("gemma4-e").longest
    var options = exact
    options.prefillChunk = 16
    let plain = try Timeline(model, contextLength: prompt.count, options: options)
    try plain.append(prompt)
    let timeline = try Timeline(model, contextLength: prompt.count, options: options)
    var asked = 0
    let stop = StopSignal()
    var pending = PendingTokens(prompt, stop: stop)
    #expect(throws: CancellationError.self) {
      try timeline.append(
        &pending,
        until: {
          asked += 1
          if asked == model.configuration.layers.count * 2 { stop.raise() }
          return false
        })
    }
    let kept = timeline.tokens.count
    #expect(kept > 0 && kept < prompt.count && kept % 16 == 0)
    try timeline.append(Array(prompt[kept...]))
    #expect(timeline.logits.map(\.bitPattern) == plain.logits.map(\.bitPattern))
  }

  @Test(
    "Pauses at any layer change no bit, and the tokens grow by whole chunks", arguments: ["gemma3-bf16", "gemma4-e"])
  func pauses(name: String) throws {
    let model = try load(name)
    let prompt = Array(try Expectations.of(name).longest.prefix(20))
    var options = exact
    options.prefillChunk = 8
    let plain = try Timeline(model, contextLength: 20, options: options)
    try plain.append(prompt)
    let timeline = try Timeline(model, contextLength: 20, options: options)
    var pending = PendingTokens(prompt)
    var seen: Set<Int> = []
    var calls = 0
    while !pending.isDone {
      try timeline.append(&pending, until: { true })
      seen.insert(timeline.tokens.count)
      #expect(timeline.tokens.count == pending.done)
      calls += 1
    }
    #expect(seen == [0, 8, 16, 20])
    #expect(calls > model.configuration.layers.count)
    #expect(timeline.logits.map(\.bitPattern) == plain.logits.map(\.bitPattern))
  }

  @Test("Input that cannot be used is refused and changes nothing")
  func badInput() throws {
    let model = try load("gemma4-e")
    let vocabulary = model.configuration.vocabularySize
    let timeline = try Timeline(model, contextLength: 4, options: exact)
    #expect(throws: GemmaError.self) { try timeline.append([]) }
    #expect(throws: GemmaError.self) { try timeline.append([2, TokenID(vocabulary)]) }
    #expect(throws: GemmaError.self) { try timeline.append([2, -1]) }
    #expect(throws: GemmaError.contextLengthExceeded(limit: 4, requested: 5)) { try timeline.append([2, 3, 4, 5, 6]) }
    #expect(timeline.tokens.isEmpty)
    for options in [ComputeOptions(threads: 0), ComputeOptions(prefillChunk: 0)] {
      #expect(throws: GemmaError.self) { try Timeline(model, contextLength: 4, options: options) }
    }
    #expect(throws: GemmaError.self) { try Timeline(model, contextLength: 0, options: exact) }
  }
}

@Suite("Damaged weights")
struct DamagedWeightsTests {
  @Test("NaN in the weights ends as an error, not as a token")
  func notANumber() throws {
    try Fixtures.withTemporaryFolder { folder in
      let source = Fixtures.model("gemma3-f32-linear-rope")
      try FileManager.default.copyItem(
        at: source.appending(path: "config.json"), to: folder.appending(path: "config.json"))
      var data = try Data(contentsOf: source.appending(path: "model.safetensors"))
      // Everything behind the header becomes the float32 NaN 0xffffffff.
      let header = data.prefix(8).enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
      data.replaceSubrange((8 + header)..., with: Data(repeating: 0xff, count: data.count - 8 - header))
      try data.write(to: folder.appending(path: "model.safetensors"))

      let timeline = try Timeline(LoadedModel(Checkpoint(at: folder)), contextLength: 4, options: exact)
      let error = #expect(throws: GemmaError.self) { try timeline.append([2, 5]) }
      guard case .degenerateOutput = error else {
        Issue.record("expected degenerateOutput, not \(String(describing: error))")
        return
      }
      #expect(timeline.tokens.isEmpty)
    }
  }
}

@Suite("The plan of a context")
struct PlanTests {
  @Test("It is what a timeline takes, to the byte", arguments: fixtureNames)
  func held(name: String) throws {
    let model = try load(name)
    for float32 in [false, true] {
      for (length, chunk) in [(1, 256), (50, 7), (1000, 64), (3000, 256)] {
        var options = ComputeOptions(threads: 1, float32Activations: float32, prefillChunk: chunk)
        options.keyValueCache = length == 1000 ? .int8 : nil
        let timeline = try Timeline(model, contextLength: length, options: options)
        #expect(timeline.held == model.plan(contextLength: length, options: options))
      }
    }
  }

  @Test("Caches are flat in full layers, rings in sliding ones, and absent in sharing ones")
  func caches() throws {
    let model = try load("gemma4-e")
    let small = model.plan(contextLength: 128, options: ComputeOptions(threads: 1, prefillChunk: 16))
    let large = model.plan(contextLength: 4096, options: ComputeOptions(threads: 1, prefillChunk: 16))
    let owners = model.configuration.layers.filter { $0.keyValueSource == nil && $0.kind == .full }
    let bytesPerToken = owners.reduce(0) { $0 + 4 * $1.keyValueHeads * $1.headDimension }
    #expect(large.keyValueBytes - small.keyValueBytes == bytesPerToken * (4096 - 128))
    #expect(large.workspaceBytes == small.workspaceBytes)
    // One byte for each element and four for each row's scale.
    let int8 = [128, 4096].map {
      model.plan(contextLength: $0, options: ComputeOptions(threads: 1, keyValueCache: .int8, prefillChunk: 16))
    }
    let int8BytesPerToken = owners.reduce(0) { $0 + 2 * $1.keyValueHeads * ($1.headDimension + 4) }
    let growth = int8[1].keyValueBytes - int8[0].keyValueBytes
    // Each cache is a whole number of pages.
    #expect(abs(growth - int8BytesPerToken * (4096 - 128)) < owners.count * 4096)
  }
}
