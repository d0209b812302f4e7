import Foundation
import GemmaTestSupport
import Testing

/// The keys that scripts read, and what is for people: help, version, statistics and warnings.
@Suite struct ReportTests {
  private func object(_ arguments: [String]) throws -> [String: Any] {
    let run = try CommandRun(arguments + ["--format", "json"])
    #expect(run.code == 0, "\(run.errors)")
    return try run.json()
  }

  @Test("verify finds the same bits everywhere in the demo model and has its documented keys")
  func verify() throws {
    let report = try object(["verify", "demo", "--prompt-tokens", "70", "--response-tokens", "4"])
    #expect(Set(report.keys) == ["is_identical", "verdicts"])
    #expect(report["is_identical"] as? Bool == true)
    let verdicts = try #require(report["verdicts"] as? [[String: Any]])
    #expect(verdicts.count >= 8)
    for verdict in verdicts {
      #expect(
        Set(verdict.keys) == [
          "kernels", "threads", "prefill_chunk", "token_ids", "logits_digest", "drafted_tokens", "is_identical",
        ])
    }
  }

  @Test("bench has its documented keys, and -v tells of each run")
  func bench() throws {
    let arguments = ["bench", "demo", "--prompt-tokens", "8", "--response-tokens", "4", "--repetitions", "2"]
    let report = try object(arguments)
    #expect(Set(report.keys) == ["load_seconds", "mapped_bytes", "threads", "kernels", "figures"])
    let figures = try #require(report["figures"] as? [[String: Any]])
    #expect(figures.count == 1)
    #expect(
      Set(try #require(figures.first).keys) == [
        "prompt_tokens", "response_tokens", "prefill_tokens_per_second", "decode_tokens_per_second",
        "time_to_first_token_seconds", "peak_pool_bytes", "drafted_tokens", "accepted_tokens",
      ])
    let told = try CommandRun(arguments + ["-v"]).errors
    #expect(told.components(separatedBy: "prompt 8 tokens").count == 3, "\(told)")
  }

  @Test("inspect has its documented keys")
  func inspect() throws {
    let report = try object(["inspect", "demo"])
    #expect(
      Set(report.keys) == [
        "info", "parameters", "parts", "bytes_by_type", "features", "plan", "pool_bytes", "tensors",
        "effective_parameters", "bytes_read_per_token",
      ])
    let info = try #require(report["info"] as? [String: Any])
    #expect(info["architecture"] as? String == "gemma3n")
    #expect(
      Set(info.keys) == [
        "architecture", "slice", "vocabulary_size", "hidden_size", "layer_count", "maximum_positions", "stop_tokens",
        "has_tokenizer", "mapped_bytes",
      ])
    let plan = try #require(report["plan"] as? [String: Any])
    let planKeys: Set = ["context_length", "mapped_bytes", "key_value_bytes", "workspace_bytes", "drafter_bytes"]
    #expect(Set(plan.keys) == planKeys)
    let parts = try #require(report["parts"] as? [String: [String: Any]])
    #expect(parts.values.allSatisfy { Set($0.keys) == ["parameters", "bytes"] })
    let tensors = try #require(report["tensors"] as? [[String: Any]])
    let keys: Set = ["name", "type", "shape", "bits", "parameters", "byte_count", "file"]
    #expect(Set(tensors.map { Set($0.keys) }) == [keys, keys.union(["group_size"])])
  }

  @Test("quantize has its documented keys")
  func quantize() throws {
    try Fixtures.withTemporaryFolder { folder in
      let out = folder.appending(path: "out").path
      let report = try object(["quantize", Fixtures.model("gemma3-bf16").path, "-o", out])
      #expect(
        Set(report.keys) == [
          "output", "bits", "group_size", "quantized_modules", "kept_modules", "bytes_read", "bytes_written",
        ])
      #expect(report["output"] as? String == out)
    }
  }

  @Test("each command has help with examples; that of run says what happens without a model")
  func help() throws {
    for command in ["run", "score", "tokenize", "inspect", "quantize", "slice", "verify", "bench"] {
      let help = try CommandRun(["help", command])
      #expect(help.code == 0 && help.output.contains("Examples:"))
      #expect(help.output.contains("Without MODEL the bundled `demo`") == (command == "run"))
      #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 120 }, "\(command)")
      // What these two write is no matter of an option.
      #expect(help.output.contains("--slice ") == !["slice", "quantize"].contains(command), "\(command)")
    }
    #expect(try CommandRun(["run", "Once upon a time", "--seed", "1", "-n", "3", "-c", "64"]).code == 0)
  }

  @Test("--version tells the version of the changelog's newest heading")
  func version() throws {
    let run = try CommandRun(["--version"])
    let changelog = try String(
      contentsOf: URL(filePath: #filePath).appending(path: "../../../CHANGELOG.md").standardized, encoding: .utf8)
    let heading = try #require(changelog.split(separator: "\n").first { $0.hasPrefix("## ") })
    let version = try #require(heading.dropFirst(3).split(separator: ",").first)
    #expect(run.code == 0 && run.output == "gemma \(version)\n", "\(run.output)")
  }

  @Test("-v of score says how fast, and stdout stays the same")
  func verboseScore() throws {
    let arguments = ["score", "demo", "--token-ids", "2,127,308,331"]
    let (short, long) = (try CommandRun(arguments), try CommandRun(arguments + ["-v"]))
    #expect(long.output == short.output && short.errors.isEmpty)
    #expect(long.errors.hasPrefix("scored 4 tokens (") && long.errors.contains(" kernels\n"), "\(long.errors)")
  }

  @Test("a context beyond the model's positions is warned of, unless -q")
  func longContext() throws {
    let arguments = ["run", "demo4", "fox", "-n", "1"]
    let warned = try CommandRun(arguments + ["-c", "5000"])
    #expect(warned.code == 0 && warned.errors.contains("5000") && warned.errors.contains("4096"), "\(warned.errors)")
    for quiet in [["-c", "5000", "-q"], ["-c", "4096"]] {
      #expect(try CommandRun(arguments + quiet).errors.isEmpty)
    }
  }
}
