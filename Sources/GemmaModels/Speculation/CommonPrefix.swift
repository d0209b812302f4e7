package import GemmaRuntime

extension [TokenID] {
  /// How many tokens at the beginning are the same as in `other`.
  package func commonPrefixCount(with other: [TokenID]) -> Int {
    let shorter = Swift.min(count, other.count)
    return (0..<shorter).first { self[$0] != other[$0] } ?? shorter
  }
}
