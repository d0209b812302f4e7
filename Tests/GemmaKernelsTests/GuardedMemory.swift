import Foundation
import Testing

/// Memory between two inaccessible pages: reading or writing beyond either page end stops the test at once, and the
/// bytes around the elements hold a pattern that `isIntact` checks.
final class GuardedMemory {
  private static let pattern: UInt8 = 0xa5
  private let map: UnsafeMutableRawPointer
  private let mapBytes: Int
  private let start: UnsafeMutableRawPointer
  private let usedBytes: Int
  private let page: Int

  /// `bytes` bytes that end `gap` bytes before an inaccessible page.
  init(bytes: Int, gap: Int = 0) throws {
    page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let inner = (bytes + gap + page) / page * page
    mapBytes = inner + 2 * page
    let mapped = try #require(mmap(nil, mapBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    try #require(mapped != MAP_FAILED)
    map = mapped
    memset(map, Int32(Self.pattern), mapBytes)
    mprotect(map, page, PROT_NONE)
    mprotect(map + page + inner, page, PROT_NONE)
    start = map + page + inner - gap - bytes
    usedBytes = bytes
  }

  convenience init(_ floats: [Float], gap: Int = 0) throws {
    try self.init(bytes: floats.count * 4, gap: gap * 4)
    self.floats.update(from: floats, count: floats.count)
  }

  deinit {
    munmap(map, mapBytes)
  }

  var raw: UnsafeMutableRawPointer { start }
  var floats: UnsafeMutablePointer<Float> { start.assumingMemoryBound(to: Float.self) }

  func floatArray() -> [Float] {
    Array(UnsafeBufferPointer(start: floats, count: usedBytes / 4))
  }

  func fill(_ value: Float) {
    floats.update(repeating: value, count: usedBytes / 4)
  }

  /// Whether the bytes around the elements still hold the pattern.
  var isIntact: Bool {
    let before = UnsafeRawBufferPointer(start: map + page, count: start - (map + page))
    let end = start + usedBytes
    let after = UnsafeRawBufferPointer(start: end, count: (map + mapBytes - page) - end)
    return before.allSatisfy { $0 == Self.pattern } && after.allSatisfy { $0 == Self.pattern }
  }
}

/// A small generator with a fixed seed (SplitMix64), so that failures repeat.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func floats(_ count: Int, _ range: ClosedRange<Float> = -1...1) -> [Float] {
    (0..<count).map { _ in Float.random(in: range, using: &self) }
  }
}
