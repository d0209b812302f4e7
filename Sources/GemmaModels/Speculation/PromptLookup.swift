package import GemmaRuntime

/// Guesses that the text goes on as it did the last time its last tokens occurred: no model, hardly any time.
///
/// (Prompt lookup decoding, A. Saxena, 2023. As in the matching of data compressors, equal beginnings are found through
/// chains of earlier positions, and the longest match wins.)
package final class PromptLookup: DraftSource {
  package let kind = DraftKind.promptLookup

  /// Tokens at the end of the text that must occur earlier: two are too often a coincidence.
  private static let shortest = 3
  /// Matches from here on promise as many tokens as anybody wants; shorter ones as many as they are long.
  private static let long = 6
  /// A match is not measured further than this.
  private static let longest = 32
  /// Earlier positions that are looked at.
  private static let candidates = 16

  private var text: [TokenID] = []
  /// For each position that ends `shortest` tokens, the one before it with the same hash, or -1.
  private var previous: [Int32] = []
  /// The last position with a hash, or -1; a power of two of them.
  private var latest = [Int32](repeating: -1, count: 1 << 12)

  package init() {}

  package func draft(_ request: DraftRequest) -> [TokenID] {
    draft(request.count, after: request.timeline.tokens, request.token)
  }

  /// At most `count` guesses of what follows `tokens` and `token`.
  package func draft(_ count: Int, after tokens: [TokenID], _ token: TokenID) -> [TokenID] {
    follow(tokens, token)
    guard count > 0, let match = longestMatch() else { return [] }
    let limit = match.length >= Self.long ? count : min(count, match.length)
    // A match may reach into what it predicts: then the guess repeats itself, as such a text does.
    let period = text.count - 1 - match.end
    var drafts: [TokenID] = []
    for index in 0..<limit {
      drafts.append(index < period ? text[match.end + 1 + index] : drafts[index - period])
    }
    return drafts
  }

  /// The earlier position whose preceding tokens agree with the end of the text the furthest; the later of equals.
  private func longestMatch() -> (end: Int, length: Int)? {
    let last = text.count - 1
    guard last >= Self.shortest else { return nil }
    var best: (end: Int, length: Int)?
    var candidate = Int(previous[last])
    for _ in 0..<Self.candidates where candidate >= 0 {
      var length = 0
      while length < min(Self.longest, candidate + 1), text[candidate - length] == text[last - length] { length += 1 }
      if length >= max(Self.shortest, (best?.length ?? 0) + 1) { best = (candidate, length) }
      candidate = Int(previous[candidate])
    }
    return best
  }

  /// Makes the index hold exactly `tokens` and `token`.
  private func follow(_ tokens: [TokenID], _ token: TokenID) {
    let common = text.commonPrefixCount(with: tokens)
    if common < text.count {
      let grown = common == tokens.count && common + 1 == text.count && text[common] == token
      if grown { return }
      forget()
      for token in tokens { append(token) }
    } else {
      for token in tokens[common...] { append(token) }
    }
    append(token)
  }

  private func forget() {
    text.removeAll(keepingCapacity: true)
    previous.removeAll(keepingCapacity: true)
    latest = [Int32](repeating: -1, count: latest.count)
  }

  private func append(_ token: TokenID) {
    if text.count >= latest.count {
      let all = text
      latest = [Int32](repeating: -1, count: latest.count * 2)
      forget()
      for token in all { append(token) }
    }
    text.append(token)
    guard text.count >= Self.shortest else { return previous.append(-1) }
    var hash: UInt32 = 0
    for token in text.suffix(Self.shortest) { hash = (hash ^ UInt32(bitPattern: token)) &* 0x9E37_79B1 }
    let slot = Int(hash >> 8) & (latest.count - 1)
    previous.append(latest[slot])
    latest[slot] = Int32(text.count - 1)
  }
}
