public import GemmaRuntime

/// Whether a model gives the same bits however it is computed, as ``GemmaModel/verify(_:drafter:progress:)`` found out.
public struct Verification: Sendable, Hashable {
  /// What is computed, and in which ways: each kernel level with each number of threads and each chunk.
  public struct Options: Sendable, Hashable {
    /// Length of the prompt, 1 ... 1,048,576; its tokens are the same on every machine.
    public var promptTokens: Int
    /// Greedy tokens behind it, 1 ... 1,048,576.
    public var responseTokens: Int
    /// Kernel levels; nil: all that this processor has.
    public var kernels: [String]?
    /// Numbers of threads; nil: 1, 2 and the model's own.
    public var threads: [Int]?
    /// Tokens of the prompt that go through the layers together; nil: 1, 7, 64 and the whole prompt.
    public var prefillChunks: [Int]?

    /// All that this processor can do.
    public init(
      promptTokens: Int = 192, responseTokens: Int = 16, kernels: [String]? = nil, threads: [Int]? = nil,
      prefillChunks: [Int]? = nil
    ) {
      self.promptTokens = promptTokens
      self.responseTokens = responseTokens
      self.kernels = kernels
      self.threads = threads
      self.prefillChunks = prefillChunks
    }

    /// Throws ``GemmaError/invalidOption(_:)`` for the first value outside its range.
    public func validate() throws(GemmaError) {
      let range = 1...1 << 20
      guard range.contains(promptTokens), range.contains(responseTokens) else {
        throw .invalidOption(
          "a verification takes 1 to \(range.upperBound) tokens of prompt and response, not \(promptTokens) and "
            + "\(responseTokens)")
      }
      if let kernels, let unknown = kernels.first(where: { !Kernels.available.contains($0) }) {
        throw .invalidOption(
          "kernels \"\(unknown)\" do not exist here; this processor has \(Kernels.available.joined(separator: ", "))")
      }
      for count in threads ?? [] { try GemmaModel.Options(threads: count).validate() }
      for chunk in prefillChunks ?? [] { try GemmaModel.Options(prefillChunk: chunk).validate() }
      guard kernels?.isEmpty != true, threads?.isEmpty != true, prefillChunks?.isEmpty != true else {
        throw .invalidOption("a verification needs at least one kernel level, number of threads and chunk")
      }
    }
  }

  /// What came out of one way of computing.
  public struct Verdict: Sendable, Hashable {
    /// The kernel level.
    public let kernels: String
    /// The number of threads.
    public let threads: Int
    /// Tokens of the prompt that went through the layers together.
    public let prefillChunk: Int
    /// The greedy tokens behind the prompt.
    public let tokens: [TokenID]
    /// A digest of the bits of all logits, in hexadecimal digits.
    public let logitsDigest: String
    /// Tokens drafted in the answers that were generated once more with drafts: made up from the answer, and by the
    /// drafter if there is one.
    public let draftedTokens: Int
    /// Whether tokens and logits are those of the first verdict, and answers with drafts are these tokens.
    public let isIdentical: Bool
  }

  /// One for each way of computing, in the order in which they were tried.
  public let verdicts: [Verdict]

  /// Whether all of them gave the same bits.
  public var isIdentical: Bool { verdicts.allSatisfy(\.isIdentical) }
}

extension GemmaModel {
  /// Computes one prompt and its greedy answer in every way there is and compares ids and logits bit for bit: all
  /// kernel levels, numbers of threads and chunks, with and without drafts.
  ///
  /// The kernel level is one of the process: others who compute meanwhile get the same bits at another speed. In the
  /// end it is what it was.
  ///
  /// - Parameters:
  ///   - options: Checked here. Products with unquantised weights use the canonical kernels, as with
  ///     ``Options/reproducible``; BLAS promises no bits.
  ///   - drafter: Drafts some of the answers, too.
  ///   - progress: Called with each verdict as soon as there is one.
  /// - Throws: ``GemmaError``, as where there is too little memory, or `CancellationError` when the task was cancelled.
  public func verify(
    _ options: Verification.Options = Verification.Options(), drafter: GemmaDrafter? = nil,
    progress: (@Sendable (Verification.Verdict) -> Void)? = nil
  ) async throws -> Verification {
    try options.validate()
    return try await Verifier(self, options, drafter).run(progress: progress ?? { _ in })
  }
}
