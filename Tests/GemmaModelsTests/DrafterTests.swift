import GemmaKernels
import GemmaModels
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

/// Serialised: one of the tests switches the kernels' level, which holds for the whole process.
@Suite("The drafter of Gemma 4", .serialized)
struct DrafterTests {
  @Test("drafts what transformers drafts, with scores within 2e-3", arguments: drafterNames + ["demo4"])
  func agreesWithTransformers(name: String) throws {
    let pair = try DraftingPair(name)
    let expected = try DrafterExpectations.of(name)
    let timeline = try Timeline(pair.model, contextLength: expected.ids.count, options: exact)
    let source = try MTPDrafter(pair.drafter, contextLength: expected.ids.count, options: exact)
    #expect(expected.rounds.count > 5)
    for round in expected.rounds {
      try timeline.append(Array(expected.ids[timeline.tokens.count..<round.position]))
      let (guesses, scores) = try source.scored(round.steps.count, after: round.token, on: timeline)
      #expect(guesses == round.guesses, "round at \(round.position)")
      for (step, row) in zip(round.steps, scores) {
        #expect(largestDifference(step.top.map { row[$0] }, step.scores) < 2e-3, "round at \(round.position)")
        #expect(abs((row.min() ?? .infinity) - step.least) < 2e-3)
        if let full = step.full { #expect(largestDifference(row, full) < 2e-3, "round at \(round.position)") }
      }
    }
  }

  @Test("drafts the same with int8 activations on all kernel levels and 1, 2 and 3 threads", arguments: drafterNames)
  func levelsAndThreads(name: String) throws {
    let pair = try DraftingPair(name)
    let ids = try DrafterExpectations.of(name).ids
    let before = String(cString: ck_level_current())
    defer { #expect(ck_level_select(before)) }
    for cache in KeyValueCacheType.allCases {
      var first: [[UInt32]]?
      for level in 0..<ck_level_count() {
        #expect(ck_level_select(ck_level_name(level)))
        for threads in 1...3 {
          let options = ComputeOptions(threads: threads, keyValueCache: cache, reproducible: true)
          let (timeline, source) = try pair.opened(ids, options)
          let rows = bits(try source.scored(4, after: 7, on: timeline).scores)
          let same = rows == first ?? rows
          #expect(same, "level \(String(cString: ck_level_name(level))), \(threads) threads")
          first = first ?? rows
        }
      }
    }
  }

  @Test("drafts the same over any chunks of the prompt and in a new round of the same source")
  func chunksAndRounds() throws {
    let pair = try DraftingPair("gemma4-q4-g64")
    let ids = try DrafterExpectations.of("gemma4-q4-g64").ids
    var first: [[UInt32]]?
    for chunk in [1, 7, 64] {
      let (timeline, source) = try pair.opened(ids, ComputeOptions(threads: 2, prefillChunk: chunk))
      for _ in 0..<2 {
        let rows = bits(try source.scored(8, after: 7, on: timeline).scores)
        #expect(rows.count == 8)
        let same = rows == first ?? rows
        #expect(same, "chunk \(chunk)")
        first = first ?? rows
      }
    }
  }

  @Test("sees no trace of tokens that were taken back, in rings neither", arguments: ["gemma4-e", "gemma4-q8-g32"])
  func rewind(name: String) throws {
    let pair = try DraftingPair(name)
    let ids = try DrafterExpectations.of(name).ids
    let options = ComputeOptions(threads: 2, reproducible: true)
    let (straight, source) = try pair.opened(ids, options)
    let wanted = try source.scored(4, after: 7, on: straight)
    let (timeline, other) = try pair.opened(ids.dropLast(2), options)
    var pending = PendingTokens(ids.suffix(2) + [9, 8, 7, 6], wanted: .every)
    try timeline.append(&pending)
    #expect(timeline.rewind(to: ids.count) == ids.count)
    let made = try other.scored(4, after: 7, on: timeline)
    #expect(made.guesses == wanted.guesses)
    let same = bits(made.scores) == bits(wanted.scores)
    #expect(same)
  }

  @Test("has no guess where the timeline has no hidden state, and none is asked for without a count")
  func noGuess() throws {
    let pair = try DraftingPair("gemma4-e")
    let timeline = try Timeline(pair.model, contextLength: 40, options: exact)
    let source = try MTPDrafter(pair.drafter, contextLength: 40, options: exact)
    #expect(try source.draft(DraftRequest(4, after: 2, on: timeline)).isEmpty)
    try timeline.append([2, 5, 9])
    #expect(try source.draft(DraftRequest(0, after: 2, on: timeline)).isEmpty)
    #expect(try source.draft(DraftRequest(1, after: 2, on: timeline)).count == 1)
    _ = timeline.rewind(to: 1)
    #expect(try source.draft(DraftRequest(4, after: 2, on: timeline)).isEmpty)
  }

  @Test("takes from the pool exactly what was planned, and nothing while it drafts", arguments: drafterNames)
  func memory(name: String) throws {
    let pair = try DraftingPair(name)
    for options in [exact, ComputeOptions(threads: 2)] {
      let (timeline, source) = try pair.opened([2, 5, 9], room: 1021, options)
      #expect(source.heldBytes == pair.drafter.workspaceBytes(contextLength: 1024))
      #expect(try source.draft(DraftRequest(8, after: 7, on: timeline)).count == 8)
    }
  }

  @Test("stops when it is told to, and drafts on afterwards")
  func stops() throws {
    let pair = try DraftingPair("gemma4-q4-g64")
    let (timeline, source) = try pair.opened([2, 5, 9], ComputeOptions(threads: 2))
    let wanted = try source.draft(DraftRequest(4, after: 7, on: timeline))
    let stop = StopSignal()
    var steps = 0
    #expect(throws: CancellationError.self) {
      let request = DraftRequest(8, after: 7, on: timeline, stop: stop) {
        steps += 1
        if steps == 2 { stop.raise() }
        return DraftRequest.likeliest($0, $1, $2)
      }
      _ = try source.draft(request)
    }
    #expect(steps == 2)
    #expect(timeline.tokens == [2, 5, 9])
    #expect(try source.draft(DraftRequest(4, after: 7, on: timeline)) == wanted)
  }

  @Test("refuses a timeline of another model and a token outside the vocabulary")
  func wrongUse() throws {
    let pair = try DraftingPair("gemma4-e")
    let (timeline, source) = try pair.opened([2, 5, 9])
    for token: TokenID in [-1, 275, .max] {
      #expect(throws: GemmaError.self) { _ = try source.draft(DraftRequest(1, after: token, on: timeline)) }
    }
    let other = try DraftingPair("gemma4-q4-g64").opened([2, 5, 9])
    #expect(throws: GemmaError.self) { _ = try source.draft(DraftRequest(1, after: 7, on: other.timeline)) }
  }
}
