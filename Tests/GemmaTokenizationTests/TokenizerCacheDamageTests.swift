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

@Suite("Damaged tokenizer caches")
struct TokenizerCacheDamageTests {
  /// The checksum's two words, and where the bytes that it covers begin.
  private static let checksum = 24
  private static let hashed = 64

  /// Gives a changed image the checksum that fits, as only someone hostile would.
  private static func seal(_ image: inout Data) {
    guard image.count >= hashed else { return }
    let hash = image.withUnsafeBytes { ContentHash(UnsafeRawBufferPointer(rebasing: $0[hashed...])) }
    for (index, word) in [hash.low, hash.high].enumerated() {
      withUnsafeBytes(of: word) { image.replaceSubrange(checksum + 8 * index..<checksum + 8 * index + 8, with: $0) }
    }
  }

  private static func set(_ image: inout Data, word: Int, to value: UInt64) {
    withUnsafeBytes(of: value) { image.replaceSubrange(8 * word..<8 * word + 8, with: $0) }
  }

  @Test(
    "A damaged cache is ignored, and written anew",
    arguments: [
      "empty", "short", "half", "cut", "longer", "flipped", "reversed", "version", "other vocabulary", "pipe", "link",
    ])
  func damaged(_ damage: String) throws {
    try CachedVocabulary.make { vocabulary in
      let file = try vocabulary.filled()
      let good = try Data(contentsOf: file)
      var bad = good
      switch damage {
      case "empty": bad = Data()
      case "short": bad = good.prefix(100)
      case "half": bad = good.prefix(good.count / 2)
      case "cut": bad = good.dropLast()
      case "longer": bad.append(0)
      case "flipped": bad[bad.count - 700] ^= 1
      case "reversed":
        for start in stride(from: 0, to: bad.count - 7, by: 8) {
          bad.replaceSubrange(start..<start + 8, with: good[start..<start + 8].reversed())
        }
      case "version":
        Self.set(&bad, word: 1, to: 2)
        Self.seal(&bad)
      case "other vocabulary":
        var other = SmallVocabulary()
        other.merges.removeLast()
        bad = try CachedVocabulary.make(other) { try Data(contentsOf: $0.filled()) }
      default: break
      }
      try FileManager.default.removeItem(at: file)
      switch damage {
      case "pipe": #expect(mkfifo(file.path, 0o600) == 0)
      case "link":
        let target = vocabulary.cache.deletingLastPathComponent().appending(path: "target")
        try good.write(to: target)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
      default: try bad.write(to: file)
      }
      let loaded = try vocabulary.load()
      #expect(loaded.origin == .file(cacheFault: nil))
      expectSame(try vocabulary.load(.off), loaded)
      #expect(try Data(contentsOf: file) == good)
      #expect(try vocabulary.load().origin == .cache)
    }
  }

  @Test("Random flips and cuts are always noticed")
  func accidents() throws {
    try CachedVocabulary.make { vocabulary in
      let file = try vocabulary.filled()
      let good = try Data(contentsOf: file)
      var generator = SeededGenerator(state: 3)
      for round in 0..<400 {
        var bad = good
        if round % 4 == 0 {
          bad = good.prefix(Int.random(in: 0..<good.count, using: &generator))
        } else {
          for _ in 0..<Int.random(in: 1...3, using: &generator) {
            // Words 5 to 7 are spare: nothing reads them.
            let place = [0..<40, Self.hashed..<bad.count].randomElement(using: &generator) ?? 0..<40
            bad[Int.random(in: place, using: &generator)] ^= 1 << UInt8.random(in: 0...7, using: &generator)
          }
          if bad == good { continue }
        }
        try bad.write(to: file)
        let loaded = try vocabulary.load()
        #expect(loaded.origin == .file(cacheFault: nil), "round \(round)")
        #expect(loaded.encode("abc a") == [266, 267], "round \(round)")
      }
    }
  }

  @Test("A hostile cache with a right checksum may give wrong ids, but never crashes or hangs")
  func hostile() throws {
    try CachedVocabulary.make { vocabulary in
      let file = try vocabulary.filled()
      let good = try Data(contentsOf: file)
      var generator = SeededGenerator(state: 5)
      let values: [UInt64] = [0, 1, 2, 255, 256, 271, 272, 1 << 31, (1 << 31) - 1, 1 << 32, .max, .max >> 1, 1 << 63]
      var accepted = 0
      for round in 0..<2_500 {
        var bad = good
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          switch round % 3 {
          case 0:
            Self.set(
              &bad, word: Int.random(in: 8..<28, using: &generator), to: values.randomElement(using: &generator) ?? 0)
          case 1:
            Self.set(
              &bad, word: Int.random(in: 32..<bad.count / 8, using: &generator),
              to: values.randomElement(using: &generator) ?? 0)
          default: bad[Int.random(in: 64..<bad.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
          }
        }
        Self.seal(&bad)
        try bad.write(to: file)
        let loaded = try vocabulary.load()
        if loaded.origin == .cache { accepted += 1 }
        for isParsing in [false, true] {
          let ids = loaded.encode(
            "abc a <mark>\u{E9}\u{1F600} \n<bos><eos><unk> abb\u{0}", parsingControlPieces: isParsing)
          _ = loaded.decode(ids, skipsControlPieces: false)
        }
        for id in -2..<TokenID(min(loaded.vocabularySize + 2, 300)) { _ = loaded.piece(of: id).map(loaded.token) }
        _ = loaded.decode((-3..<400).map { TokenID($0) }, skipsControlPieces: false)
      }
      #expect(accepted > 100 && accepted < 2_400, "\(accepted)")
    }
  }

  @Test(
    "Indices outside their tables and circular links are refused",
    arguments: [
      // Tables: bytes, spans, piece slots, kinds, merge slots, spaces, nodes and first (twice), bytes, ASCII.
      (1, 0, UInt64.max), (2, 1, UInt64.max), (4, 1, .max), (6, 1, UInt64.max), (7, 30, UInt64.max), (10, 0, .max),
      (11, 0, .max),
    ] as [(Int, Int, UInt64)])
  func wrongIndex(_ table: Int, _ word: Int, _ value: UInt64) throws {
    try CachedVocabulary.make { vocabulary in
      let file = try vocabulary.filled()
      var bad = try Data(contentsOf: file)
      let strides = [1, 8, 16, 1, 16, 1, 16, 4, 16, 4, 4, 4]
      var offset = 256
      for index in 0..<table {
        let count = bad.withUnsafeBytes { $0.load(fromByteOffset: 8 * (16 + index), as: UInt64.self) }
        offset = (offset + Int(count) * strides[index] + 63) / 64 * 64
      }
      Self.set(&bad, word: offset / 8 + word, to: value)
      Self.seal(&bad)
      try bad.write(to: file)
      #expect(try vocabulary.load().origin == .file(cacheFault: nil))
    }
  }

  @Test("A full hash table would make searches endless, and is refused")
  func fullTable() throws {
    try CachedVocabulary.make { vocabulary in
      let file = try vocabulary.filled()
      var bad = try Data(contentsOf: file)
      let counts = bad.withUnsafeBytes { image in
        (0..<12).map { Int(image.load(fromByteOffset: 8 * (16 + $0), as: UInt64.self)) }
      }
      var offset = 256
      for (count, stride) in zip(counts, [1, 8, 16, 1]) { offset = (offset + count * stride + 63) / 64 * 64 }
      for slot in 0..<counts[4] { bad[offset + 16 * slot + 4] |= 0x40 }
      Self.seal(&bad)
      try bad.write(to: file)
      #expect(try vocabulary.load().origin == .file(cacheFault: nil))
    }
  }

  @Test("The small vocabulary's image is that of version 1: when it changes, the version must, and then this hash")
  func pinned() throws {
    try CachedVocabulary.make { vocabulary in
      let image = try Data(contentsOf: vocabulary.filled())
      #expect(image.withUnsafeBytes { ContentHash($0).name } == "ec0524d373cf87fb63381fde149b30a6")
    }
  }
}
