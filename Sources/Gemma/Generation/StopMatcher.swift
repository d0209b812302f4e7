/// Finds stop texts in text that arrives in parts, and holds back whatever may turn out to be the start of one.
package struct StopMatcher {
  private let stops: [[UInt8]]
  private var held: [UInt8] = []
  /// Whether a stop text was found; what comes afterwards is ignored.
  package private(set) var isStopped = false

  package init(_ stops: [String]) {
    self.stops = stops.map { Array($0.utf8) }.filter { !$0.isEmpty }
  }

  /// The text that is certain now. A stop text begins at a scalar's boundary, so no scalar is ever split.
  package mutating func append(_ text: String) -> String {
    guard !isStopped else { return "" }
    guard !stops.isEmpty else { return text }
    held += text.utf8
    if let end = firstStop() {
      isStopped = true
      defer { held = [] }
      return String(decoding: held[..<end], as: UTF8.self)
    }
    let kept = heldBack()
    let certain = String(decoding: held.dropLast(kept), as: UTF8.self)
    held.removeFirst(held.count - kept)
    return certain
  }

  /// What was held back, once it is certain that nothing follows.
  package mutating func finish() -> String {
    defer { held = [] }
    return String(decoding: held, as: UTF8.self)
  }

  /// Where the earliest stop text begins.
  private func firstStop() -> Int? {
    held.indices.first { start in stops.contains { held[start...].starts(with: $0) } }
  }

  /// Length of the longest end of the text that begins a stop text.
  private func heldBack() -> Int {
    var longest = 0
    for stop in stops {
      let limit = min(stop.count - 1, held.count)
      guard limit > longest else { continue }
      for length in stride(from: limit, to: longest, by: -1) where stop.starts(with: held.suffix(length)) {
        longest = length
        break
      }
    }
    return longest
  }
}
