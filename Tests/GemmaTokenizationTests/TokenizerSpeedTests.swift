import Foundation
import GemmaRuntime
import GemmaTestSupport
import GemmaTokenization
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The time this thread spends on the processor: other work on the machine counts little.
private func processorTime(_ body: () throws -> Void) rethrows -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let start = now()
  try body()
  return now() - start
}

/// Bounds are on the processor time of the best round, so that other work on the machine counts little; the printed
/// figures are the result.
@Suite("Tokenizer speed", .serialized, .enabled(if: Vocabularies.areHere, "needs the real vocabularies"))
struct TokenizerSpeedTests {
  private static func load(_ name: String, _ cache: TokenizerCache) throws -> Double {
    try (0..<5).map { _ in
      try processorTime { _ = try GemmaTokenizer(contentsOf: Vocabularies.folder(name), cache: cache) }
    }.min() ?? .infinity
  }

  @Test(
    "A vocabulary of 262,144 pieces loads in 150 ms of its thread's time, without a cache",
    arguments: ["gemma3", "gemma4"])
  func load(_ name: String) throws {
    let time = try Self.load(name, .off)
    print("tokenizer load, \(name): \(time) s")
    #expect(time < 0.15)
  }

  @Test("The same vocabulary loads in 30 ms from the cache", arguments: ["gemma3", "gemma4"])
  func cachedLoad(_ name: String) throws {
    try Fixtures.withTemporaryFolder { folder in
      _ = try GemmaTokenizer(contentsOf: Vocabularies.folder(name), cache: .folder(folder))
      let time = try Self.load(name, .folder(folder))
      print("tokenizer load from the cache, \(name): \(time) s")
      #expect(time < 0.03)
    }
  }

  @Test("Encoding passes 1 MB/s, on prose and on long lines of every kind")
  func encode() throws {
    let tokenizer = try Vocabularies.gemma4.get()
    var texts = [
      ("100,000 words in one line", String(repeating: "word lines ", count: 50_000)),
      ("one word of 500,000 letters", String(repeating: "abcde", count: 100_000)),
      ("one letter 500,000 times", String(repeating: "a", count: 500_000)),
      ("500,000 spaces", String(repeating: " ", count: 500_000)),
      ("500,000 newlines", String(repeating: "\n", count: 500_000)),
      ("500,000 times <", String(repeating: "<", count: 500_000)),
      ("byte fallback", String(repeating: "\u{13000}\u{10FFFD}", count: 50_000)),
    ]
    let prose = try Self.prose()
    if !prose.isEmpty { texts.append(("prose", prose)) }
    for (name, text) in texts {
      var ids: [TokenID] = []
      let time = processorTime { ids = tokenizer.encode(text) }
      let rate = Double(text.utf8.count) / 1e6 / time
      print("tokenizer encode, \(name): \(text.utf8.count) bytes, \(ids.count) ids, \(rate) MB/s")
      #expect(rate > 1, "\(name)")
      #expect(tokenizer.decode(ids) == text, "\(name)")
    }
  }

  private static func prose() throws -> String {
    guard FileManager.default.fileExists(atPath: Vocabularies.corpus.path) else { return "" }
    return try FileManager.default.contentsOfDirectory(at: Vocabularies.corpus, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "txt" }.sorted { $0.path < $1.path }.prefix(6)
      .map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
  }
}
