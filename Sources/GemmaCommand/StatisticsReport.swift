import Foundation
import Gemma

/// `statistics` of the JSON output.
struct StatisticsReport: Encodable {
  var promptTokens: Int
  var cachedPromptTokens: Int
  var responseTokens: Int
  var draftedTokens: Int
  var acceptedTokens: Int
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
    draftedTokens = statistics.draftedTokens
    acceptedTokens = statistics.acceptedTokens
    loadSeconds = statistics.loadTime / .seconds(1)
    timeToFirstTokenSeconds = statistics.timeToFirstToken / .seconds(1)
    prefillTokensPerSecond = statistics.prefillTokensPerSecond
    decodeTokensPerSecond = statistics.decodeTokensPerSecond
    peakPoolBytes = statistics.peakPoolBytes
    mappedBytes = statistics.mappedBytes
    self.threads = statistics.threads
    kernels = statistics.kernels
  }

  /// For people.
  var summary: String {
    let prefill = String(format: "%.0f", prefillTokensPerSecond)
    let decode = String(format: "%.1f", decodeTokensPerSecond)
    let load = String(format: "%.3f", loadSeconds)
    let first = String(format: "%.3f", timeToFirstTokenSeconds)
    return """
      prompt \(promptTokens) tokens (\(prefill) per second), answer \(responseTokens) tokens (\(decode) per second)
      loading \(load) s, first token \(first) s, \(threads) threads, \(kernels) kernels
      pool peak \(peakPoolBytes.inMegabytes), weights mapped \(mappedBytes.inMegabytes)
      """
  }
}

extension Int {
  var inMegabytes: String { String(format: "%.1f MB", Double(self) / 1e6) }
}
