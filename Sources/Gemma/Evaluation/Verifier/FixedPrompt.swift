package import GemmaRuntime

/// A prompt that is the same on every machine and touches all parts of the vocabulary.
package enum FixedPrompt {
  package static func tokens(_ count: Int, vocabulary: Int) -> [TokenID] {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    return (0..<count).map { index in
      guard index > 0 else { return TokenID(min(2, vocabulary - 1)) }
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return TokenID(truncatingIfNeeded: (state >> 33) % UInt64(vocabulary))
    }
  }
}
