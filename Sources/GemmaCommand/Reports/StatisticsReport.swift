import Foundation
import Gemma

/// `statistics` of the JSON output.
struct StatisticsReport: Encodable {
  struct DraftCount: Encodable {
    var drafted: Int
    var accepted: Int
  }

  var promptTokens: Int
  var cachedPromptTokens: Int
  var responseTokens: Int
  var draftedTokens: Int
  var acceptedTokens: Int
  var draftRounds: Int
  var drafts: [String: DraftCount]
  var savedSeconds: Double?
  var draftFailure: String?
  var loadSeconds: Double
  var timeToFirstTokenSeconds: Double
  var prefillTokensPerSecond: Double
  var decodeTokensPerSecond: Double
  var peakPoolBytes: Int
  var mappedBytes: Int
  var threads: Int
  var kernels: String

  init(_ statistics: Statistics) {
    promptTokens = statistics.promptTokens
    cachedPromptTokens = statistics.cachedPromptTokens
    responseTokens = statistics.responseTokens
    let speculation = statistics.speculation
    draftedTokens = speculation.draftedTokens
    acceptedTokens = speculation.acceptedTokens
    draftRounds = speculation.rounds
    drafts = speculation.sources.mapValues { DraftCount(drafted: $0.drafted, accepted: $0.accepted) }
    savedSeconds = speculation.timeSaved.map { $0 / .seconds(1) }
    draftFailure = speculation.failure
    loadSeconds = statistics.loadTime / .seconds(1)
    timeToFirstTokenSeconds = statistics.timeToFirstToken / .seconds(1)
    prefillTokensPerSecond = statistics.prefillTokensPerSecond
    decodeTokensPerSecond = statistics.decodeTokensPerSecond
    peakPoolBytes = statistics.peakPoolBytes
    mappedBytes = statistics.mappedBytes
    self.threads = statistics.threads
    kernels = statistics.kernels
  }

  /// What does not depend on the request, for people.
  var engine: String {
    """
    loading \(String(format: "%.3f", loadSeconds)) s, \(threads) threads, \(kernels) kernels
    pool peak \(peakPoolBytes.inMegabytes), weights mapped \(mappedBytes.inMegabytes)
    """
  }

  /// For people.
  var summary: String {
    let prefill = String(format: "%.0f", prefillTokensPerSecond)
    let decode = String(format: "%.1f", decodeTokensPerSecond)
    let first = String(format: "%.3f", timeToFirstTokenSeconds)
    var lines = """
      prompt \(promptTokens) tokens (\(prefill) per second), answer \(responseTokens) tokens (\(decode) per second)
      first token \(first) s
      \(engine)
      """
    for (source, count) in drafts.sorted(by: { $0.key < $1.key }) {
      let share = String(format: "%.0f", 100 * Double(count.accepted) / Double(max(count.drafted, 1)))
      lines += "\n\(source): \(count.accepted) of \(count.drafted) drafted tokens right (\(share) %)"
    }
    if draftRounds > 0 {
      let tokens = String(format: "%.2f", 1 + Double(acceptedTokens) / Double(draftRounds))
      let saved = savedSeconds.map { String(format: "%+.3f s", $0) } ?? "unknown: no step went without drafts"
      lines += "\n\(draftRounds) rounds with drafts, \(tokens) tokens each, time saved \(saved)"
    }
    if let draftFailure { lines += "\ndrafting failed: \(draftFailure)" }
    return lines
  }
}

extension Int {
  var inMegabytes: String { String(format: "%.1f MB", Double(self) / 1e6) }
}
