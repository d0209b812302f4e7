import Gemma
import GemmaTestSupport
import Synchronization
import Testing

/// One at a time: each of them switches the kernel level of the process.
@Suite("Verification", .serialized)
struct VerificationTests {
  private static let options = Verification.Options(
    promptTokens: 9, responseTokens: 6, kernels: [Kernels.current], threads: [1, 2], prefillChunks: [1, 4])

  @Test("the demo model gives the same bits in every way, and each verdict is told of")
  func identical() async throws {
    let model = try await SessionTests.demo()
    let before = Kernels.current
    let told = Mutex<[Verification.Verdict]>([])
    // Without the slowest levels, which everything else in the process would have to use meanwhile.
    let levels = Array(Kernels.available.suffix(2))
    let options = Verification.Options(promptTokens: 9, responseTokens: 6, kernels: levels)
    let found = try await model.verify(options) { verdict in
      told.withLock { $0.append(verdict) }
    }
    #expect(found.isIdentical && found.verdicts == told.withLock { $0 })
    #expect(Set(found.verdicts.map(\.kernels)) == Set(levels) && Kernels.current == before)
    #expect(found.verdicts.allSatisfy { $0.tokens.count == 6 && $0.draftedTokens > 0 })
    #expect(Set(found.verdicts.map(\.prefillChunk)) == [1, 7, 9, 64])
  }

  @Test("a logit that differs in one bit, another token and another answer with drafts are each found, and no more")
  func planted() async throws {
    let model = try await SessionTests.demo()
    let verifier = Verifier(model, Self.options, nil)
    let wrong = try #require(verifier.settings.last)
    let bits = try await verifier.compare { setting in
      var found = try await verifier.observe(setting)
      if setting == wrong { found.logitsDigest = Self.digest([1]) }
      return found
    } answers: {
      try await verifier.answers($0, $1)
    }
    #expect(!bits.isIdentical && bits.verdicts.map(\.isIdentical) == [true, true, true, false])
    let tokens = try await verifier.compare { setting in
      var found = try await verifier.observe(setting)
      if setting == verifier.settings[1] { found.tokens[5] += 1 }
      return found
    } answers: { _, _ in
      []
    }
    #expect(!tokens.isIdentical && tokens.verdicts.map(\.isIdentical) == [true, false, true, true])
    let drafts = try await verifier.compare(observe: verifier.observe) { setting, found in
      var answers = try await verifier.answers(setting, found)
      if setting == verifier.settings[0] { answers[0].tokens[3] += 1 }
      return answers
    }
    #expect(!drafts.isIdentical && drafts.verdicts.map(\.isIdentical) == [false, true, true, true])
  }

  @Test("the level that was in use comes back where a verification fails")
  func restored() async throws {
    let model = try await SessionTests.demo()
    let before = Kernels.current
    let options = Verification.Options(
      promptTokens: 2, responseTokens: 1, kernels: Array(Kernels.available.suffix(2)))
    let verifier = Verifier(model, options, nil)
    await #expect(throws: GemmaError.sessionBusy) {
      try await verifier.compare { _ in
        throw GemmaError.sessionBusy
      } answers: { _, _ in
        []
      }
    }
    #expect(Kernels.current == before)
  }

  @Test("one bit and the order of numbers change the digest")
  func digests() {
    #expect(Self.digest([1, 3]) == Self.digest([1, 3]))
    #expect(Self.digest([1, 3]) != Self.digest([1, Float(3).nextUp]))
    #expect(Self.digest([1, 3]) != Self.digest([3, 1]))
  }

  private static func digest(_ values: [Float]) -> String {
    var digest = BitDigest()
    values.withUnsafeBufferPointer { digest.add($0) }
    return digest.text
  }

  @Test(
    "options outside their range are typed errors",
    arguments: [
      Verification.Options(promptTokens: 0), Verification.Options(responseTokens: 0),
      Verification.Options(promptTokens: .max), Verification.Options(kernels: ["abacus"]),
      Verification.Options(kernels: []), Verification.Options(threads: [0]), Verification.Options(prefillChunks: [-1]),
    ])
  func ranges(_ options: Verification.Options) async throws {
    let model = try await SessionTests.demo()
    await #expect(throws: GemmaError.self) { try await model.verify(options) }
  }
}
