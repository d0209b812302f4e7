import Foundation

/// Resident memory of this process, as the Linux kernel counts it; nil elsewhere.
struct Resident {
  /// Anonymous pages: the pool, the vocabulary, the rest of the heap.
  var anonymousBytes: Int
  /// Pages of mapped files: the weights touched so far, which the system can drop.
  var fileBytes: Int

  static func - (a: Resident, b: Resident) -> Resident {
    var difference = a
    difference.anonymousBytes -= b.anonymousBytes
    difference.fileBytes -= b.fileBytes
    return difference
  }

  init?() {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    func bytes(_ name: String) -> Int? {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
    guard let anonymous = bytes("RssAnon"), let file = bytes("RssFile") else { return nil }
    anonymousBytes = anonymous
    fileBytes = file
  }
}
