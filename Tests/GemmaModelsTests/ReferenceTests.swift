import GemmaModels
import Testing

@Suite("The engine agrees with transformers in float32")
struct ReferenceTests {
  @Test("Every log-probability of every prompt lies within 2e-3, in canonical order", arguments: fixtureNames)
  func canonical(name: String) throws {
    try compare(name, exact)
  }

  @Test("Every log-probability of every prompt lies within 2e-3 through BLAS", arguments: fixtureNames)
  func blas(name: String) throws {
    try compare(name, ComputeOptions(threads: 2, float32Activations: true, reproducible: false))
  }

  @Test("Greedy ids are the reference's until its margin falls under 1e-3", arguments: fixtureNames)
  func greedy(name: String) throws {
    let model = try load(name)
    for prompt in try Expectations.of(name).prompts {
      let wanted = prompt.greedy
      let timeline = try Timeline(model, contextLength: prompt.ids.count + wanted.ids.count, options: exact)
      try timeline.append(prompt.ids)
      let ids = try timeline.greedy(wanted.ids.count)
      let clear = wanted.margins.firstIndex { $0 < 1e-3 } ?? wanted.ids.count
      #expect(ids.prefix(clear) == wanted.ids.prefix(clear), "prompt of \(prompt.ids.count) tokens")
    }
  }

  private func compare(_ name: String, _ options: ComputeOptions) throws {
    let model = try load(name)
    for prompt in try Expectations.of(name).prompts {
      let timeline = try Timeline(model, contextLength: prompt.ids.count, options: options)
      let rows = try timeline.score(prompt.ids).map(logSoftmax)
      let scored = zip(rows, prompt.ids.dropFirst()).map { row, id in row[Int(id)] }
      #expect(largestDifference(scored, prompt.logprobs) < 2e-3, "prompt of \(prompt.ids.count) tokens")
      for full in prompt.full {
        #expect(
          largestDifference(rows[full.position], full.logprobs) < 2e-3,
          "prompt of \(prompt.ids.count) tokens, all pieces at \(full.position)")
      }
    }
  }
}
