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

/// A vocabulary in a model's folder, and a folder for its cache beside that.
struct CachedVocabulary {
  let model: URL
  let cache: URL

  static func make<Result>(
    _ vocabulary: SmallVocabulary = SmallVocabulary(), _ body: (CachedVocabulary) throws -> Result
  ) throws -> Result {
    try Fixtures.withTemporaryFolder { folder in
      let cached = CachedVocabulary(model: folder.appending(path: "model"), cache: folder.appending(path: "cache"))
      try FileManager.default.createDirectory(at: cached.model, withIntermediateDirectories: true)
      try cached.write(vocabulary)
      return try body(cached)
    }
  }

  var source: URL { model.appending(path: "tokenizer.json") }

  func write(_ vocabulary: SmallVocabulary) throws { try Data(vocabulary.json.utf8).write(to: source) }

  func load(_ cache: TokenizerCache? = nil) throws -> GemmaTokenizer {
    try GemmaTokenizer(contentsOf: model, cache: cache ?? .folder(self.cache), cachingFrom: 0)
  }

  func cacheFiles() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: cache, includingPropertiesForKeys: nil)
  }

  /// Loads twice, so that there is a cache, and returns it.
  func filled() throws -> URL {
    _ = try load()
    #expect(try load().origin == .cache)
    return try #require(try cacheFiles().first)
  }
}

/// That two tokenizers give the same for every id and for telling texts.
func expectSame(_ one: GemmaTokenizer, _ other: GemmaTokenizer, _ texts: [String] = [], _ comment: Comment? = nil) {
  #expect(one.vocabularySize == other.vocabularySize, comment)
  #expect(one.beginOfSequence == other.beginOfSequence, comment)
  for id in -1...TokenID(one.vocabularySize) {
    let piece = one.piece(of: id)
    guard piece == other.piece(of: id), one.decode([id]) == other.decode([id]) else {
      Issue.record("id \(id) differs")
      return
    }
    if let piece { #expect(one.token(of: piece) == other.token(of: piece), comment) }
  }
  for text in texts + ["abc a <mark>\u{E9}\u{1F600} \n", "<bos>", " a a  abb", "\u{FEFF}a\u{0}"] {
    for isParsing in [false, true] {
      let ids = one.encode(text, parsingControlPieces: isParsing)
      #expect(ids == other.encode(text, parsingControlPieces: isParsing), comment)
    }
  }
}

@Suite("Tokenizer cache")
struct TokenizerCacheTests {
  @Test("The first load writes the cache, the next maps it, and all is the same")
  func roundTrip() throws {
    try CachedVocabulary.make { vocabulary in
      let plain = try vocabulary.load(.off)
      #expect(plain.origin == .file(cacheFault: nil))
      #expect(!FileManager.default.fileExists(atPath: vocabulary.cache.path))
      let first = try vocabulary.load()
      #expect(first.origin == .file(cacheFault: nil))
      let second = try vocabulary.load()
      #expect(second.origin == .cache)
      expectSame(plain, first)
      expectSame(plain, second)
      #expect(try vocabulary.cacheFiles().count == 1)
      #expect(try FileManager.default.contentsOfDirectory(atPath: vocabulary.model.path) == ["tokenizer.json"])
    }
  }

  /// Loads `folder` with an empty cache and again with the full one, and compares with `plain`.
  private func expectSameFromCache(_ folder: URL, _ plain: GemmaTokenizer, _ texts: [String]) throws {
    try Fixtures.withTemporaryFolder { cache in
      _ = try GemmaTokenizer(contentsOf: folder, cache: .folder(cache), cachingFrom: 0)
      let cached = try GemmaTokenizer(contentsOf: folder, cache: .folder(cache), cachingFrom: 0)
      #expect(cached.origin == .cache)
      expectSame(plain, cached, texts)
    }
  }

  @Test("The demo's vocabulary is the same from the cache")
  func demoRoundTrip() throws { try expectSameFromCache(Fixtures.demo, Vocabularies.demo.get(), []) }

  @Test(
    "The real vocabularies are the same from the cache",
    .enabled(if: Vocabularies.areHere, "needs gemma3-tokenizer and gemma4-tokenizer"), arguments: ["gemma3", "gemma4"])
  func realRoundTrip(_ name: String) throws {
    let plain = try (name == "gemma3" ? Vocabularies.gemma3 : Vocabularies.gemma4).get()
    try expectSameFromCache(Vocabularies.folder(name), plain, Expectations.load(name).cases.map(\.text))
  }

  @Test("The cache stays when it is deleted under a tokenizer, and is written again")
  func deletion() throws {
    try CachedVocabulary.make { vocabulary in
      let file = try vocabulary.filled()
      let mapped = try vocabulary.load()
      try FileManager.default.removeItem(at: file)
      expectSame(try vocabulary.load(.off), mapped)
      #expect(try vocabulary.load().origin == .file(cacheFault: nil))
      #expect(try vocabulary.load().origin == .cache)
    }
  }

  @Test("A tokenizer.json with other content is read, though its size and dates are the same")
  func staleness() throws {
    try CachedVocabulary.make { vocabulary in
      _ = try vocabulary.filled()
      let dates = try FileManager.default.attributesOfItem(atPath: vocabulary.source.path)
      var changed = SmallVocabulary()
      changed.merges[4] = #"["\u2581","b"]"#
      try vocabulary.write(changed)
      try FileManager.default.setAttributes(
        [.modificationDate: dates[.modificationDate] ?? Date()], ofItemAtPath: vocabulary.source.path)
      let loaded = try vocabulary.load()
      #expect(loaded.origin == .file(cacheFault: nil))
      #expect(loaded.encode(" a") == [260, 261])
      #expect(try vocabulary.load().origin == .cache)
      #expect(try vocabulary.cacheFiles().count == 2)
    }
  }

  @Test("Nothing is written into the model's folder, whatever is asked for")
  func modelFolder() throws {
    try CachedVocabulary.make { vocabulary in
      let link = vocabulary.cache.deletingLastPathComponent().appending(path: "link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: vocabulary.model)
      for place in [vocabulary.model, vocabulary.model.appending(path: "cache"), link, link.appending(path: "x")] {
        #expect(try vocabulary.load(.folder(place)).origin == .file(cacheFault: nil))
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: vocabulary.model.path) == ["tokenizer.json"])
    }
  }

  @Test("The environment moves the cache or switches it off, and an option outranks it")
  func places() {
    let model = URL(filePath: "/models/gemma")
    func place(_ cache: TokenizerCache, _ environment: [String: String]) -> String? {
      cache.folder(for: model, environment: environment)?.standardizedFileURL.path
    }
    #expect(place(.standard, ["GEMMA_TOKENIZER_CACHE": "off", "HOME": "/h"]) == nil)
    #expect(place(.standard, ["GEMMA_TOKENIZER_CACHE": "/elsewhere", "HOME": "/h"]) == "/elsewhere")
    #expect(place(.off, ["GEMMA_TOKENIZER_CACHE": "/elsewhere"]) == nil)
    #expect(place(.folder(URL(filePath: "/mine")), ["GEMMA_TOKENIZER_CACHE": "off"]) == "/mine")
    #if os(Linux)
      #expect(place(.standard, ["HOME": "/h"]) == "/h/.cache/swift-gemma")
      #expect(place(.standard, ["XDG_CACHE_HOME": "/x", "HOME": "/h"]) == "/x/swift-gemma")
      #expect(place(.standard, ["XDG_CACHE_HOME": "x", "HOME": "/h"]) == "/h/.cache/swift-gemma")
      #expect(place(.standard, ["GEMMA_TOKENIZER_CACHE": "", "HOME": "/h"]) == "/h/.cache/swift-gemma")
      #expect(place(.standard, [:]) == nil)
    #endif
  }

  @Test("Files of less than a megabyte are not cached")
  func smallFiles() throws {
    try CachedVocabulary.make { vocabulary in
      _ = try GemmaTokenizer(contentsOf: vocabulary.model, cache: .folder(vocabulary.cache))
      #expect(!FileManager.default.fileExists(atPath: vocabulary.cache.path))
    }
  }

  @Test("A cache that cannot be written is no error")
  func unwritable() throws {
    try CachedVocabulary.make { vocabulary in
      let below = vocabulary.source.appending(path: "cache")
      for place in [below, URL(filePath: "/dev/null/cache")] {
        let loaded = try vocabulary.load(.folder(place))
        // A place below the model's folder is not used at all; the other is tried.
        #expect((loaded.origin == .file(cacheFault: nil)) == (place == below))
        expectSame(try vocabulary.load(.off), loaded)
      }
      let name = try vocabulary.filled()
      try FileManager.default.removeItem(at: name)
      try FileManager.default.createDirectory(at: name, withIntermediateDirectories: true)
      guard case .file(cacheFault: .some) = try vocabulary.load().origin else {
        return #expect(Bool(false), "a folder stands where the cache should be")
      }
      #expect(try vocabulary.cacheFiles().count == 1)
    }
  }

  @Test("Many writers and readers at once see whole files, and leave nothing behind")
  func concurrency() throws {
    try CachedVocabulary.make { vocabulary in
      let plain = try vocabulary.load(.off)
      let text = "abc a <mark>\u{E9}\u{1F600} \n"
      DispatchQueue.concurrentPerform(iterations: 200) { round in
        do {
          // Every fifth makes the others write again.
          if round % 5 == 0 { for file in try vocabulary.cacheFiles() { unlink(file.path) } }
          #expect(try vocabulary.load().encode(text) == plain.encode(text))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
          // The cache's folder is not there yet.
        } catch {
          Issue.record("\(error)")
        }
      }
      _ = try vocabulary.load()
      #expect(try vocabulary.load().origin == .cache)
      #expect(try vocabulary.cacheFiles().count == 1)
    }
  }

  @Test("What writers that died an hour ago left is removed, and nothing else")
  func leftovers() throws {
    try CachedVocabulary.make { vocabulary in
      try FileManager.default.createDirectory(at: vocabulary.cache, withIntermediateDirectories: true)
      for (name, age) in [("old.partial", 7200.0), ("new.partial", 60), ("old.other", 7200)] {
        let file = vocabulary.cache.appending(path: name)
        try Data([1]).write(to: file)
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: file.path)
      }
      _ = try vocabulary.filled()
      let names = try vocabulary.cacheFiles().map(\.lastPathComponent).filter { !$0.hasSuffix(".tokenizer") }
      #expect(names.sorted() == ["new.partial", "old.other"])
    }
  }
}
