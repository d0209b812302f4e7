import Foundation
import GemmaTestSupport
import Testing

@Suite struct CommandTests {
  @Test("run prints the answer alone, the same for the same seed")
  func runs() throws {
    let arguments = ["run", "demo", "Once upon a time", "--seed", "3", "--max-tokens", "20"]
    let first = try CommandRun(arguments)
    #expect(first.code == 0, "\(first.errors)")
    #expect(first.output.count > 20)
    #expect(first.errors.isEmpty)
    #expect(try CommandRun(arguments + ["--threads", "1", "--kernels", "portable"]).output == first.output)
  }

  @Test("both bundled models answer a question and end by themselves", arguments: ["demo", "demo4"])
  func bundled(name: String) throws {
    let run = try CommandRun(["run", name, "Tell me about a fox", "--seed", "7", "--format", "json"])
    #expect(run.code == 0, "\(run.errors)")
    #expect(try run.json()["finish_reason"] as? String == "end_of_turn")
    #expect(try (run.json()["text"] as? String ?? "").contains("fox"))
  }

  @Test("run takes the prompt from stdin and prints one JSON object with the documented keys")
  func json() throws {
    let run = try CommandRun(
      ["run", "demo", "-", "--temperature", "0", "--max-tokens", "5", "--format", "json"], input: "Tell me about a fox")
    #expect(run.code == 0, "\(run.errors)")
    let object = try run.json()
    #expect(Set(object.keys) == ["prompt_token_ids", "token_ids", "text", "finish_reason", "statistics"])
    #expect((object["token_ids"] as? [Int])?.count == 5)
    #expect(object["finish_reason"] as? String == "maximum_tokens")
    let statistics = try #require(object["statistics"] as? [String: Any])
    #expect(
      Set(statistics.keys) == [
        "prompt_tokens", "cached_prompt_tokens", "response_tokens", "drafted_tokens", "accepted_tokens", "draft_rounds",
        "drafts", "load_seconds", "time_to_first_token_seconds", "prefill_tokens_per_second",
        "decode_tokens_per_second", "peak_pool_bytes",
        "mapped_bytes", "threads", "kernels",
      ])
  }

  @Test("run and score work on ids alone for a model without tokenizer")
  func idsOnly() throws {
    let model = Fixtures.model("gemma3-bf16").path
    let run = try CommandRun([
      "run", model, "--token-ids", "2,5,9", "--max-tokens", "4", "--ignore-eos", "--format", "json",
    ])
    #expect(run.code == 0, "\(run.errors)")
    #expect((try run.json()["token_ids"] as? [Int])?.count == 4)
    let score = try CommandRun(["score", model, "--token-ids", "2,5,9", "--top", "3", "--format", "json"]).json()
    let logprobs = try #require(score["logprobs"] as? [Any])
    #expect(logprobs.count == 3 && logprobs[0] is NSNull)
    let top = try #require(score["top"] as? [[[String: Any]]])
    #expect(top.count == 3 && top.allSatisfy { $0.count == 3 && $0[0].keys.sorted() == ["id", "logprob"] })
  }

  @Test("score has its four keys in any case, and a continuation is scored alone")
  func scoring() throws {
    let keys: Set = ["token_ids", "logprobs", "top", "perplexity"]
    let one = try CommandRun(["score", "demo", "--token-ids", "2", "--format", "json"]).json()
    #expect(Set(one.keys) == keys && one["top"] is NSNull && one["perplexity"] is NSNull)
    let whole = try CommandRun(["score", "demo", "--token-ids", "2,127,308,331", "--format", "json"]).json()
    let part = try CommandRun([
      "score", "demo", "--token-ids", "2,127", "--continuation", "308,331", "--top", "1", "--format", "json",
    ]).json()
    #expect(Set(whole.keys) == keys && Set(part.keys) == keys)
    let (all, some) = (try #require(whole["logprobs"] as? [Any]), try #require(part["logprobs"] as? [Any]))
    #expect(all.count == 4 && some.count == 4 && some[0] is NSNull && some[1] is NSNull)
    let last = try some[2...].map { try #require($0 as? Double) }
    #expect(last == (try all[2...].map { try #require($0 as? Double) }))
    let perplexity = try #require(part["perplexity"] as? Double)
    #expect(abs(perplexity / exp(-(last[0] + last[1]) / 2) - 1) < 1e-5)
    #expect((part["top"] as? [[Any]])?.map(\.count) == [1, 1, 1, 1])
  }

  @Test("tokenize goes there and back, and content never becomes a control token unless asked")
  func tokenize() throws {
    let ids = try #require(
      try CommandRun(["tokenize", "demo", "a fox<start_of_turn>", "--format", "json"]).json()["token_ids"] as? [Int])
    let list = ids.map(String.init).joined(separator: ",")
    #expect(try CommandRun(["tokenize", "demo", "--decode", list]).output == "a fox<start_of_turn>\n")
    #expect(!ids.contains(105))
    let special = try CommandRun(["tokenize", "demo", "a fox<start_of_turn>", "--special"]).output
    #expect(special.hasSuffix("105\n"))
  }

  @Test("quantize writes a folder that runs, and refuses one that is quantised already")
  func quantize() throws {
    try Fixtures.withTemporaryFolder { folder in
      let out = folder.appending(path: "out").path
      let model = Fixtures.model("gemma3-bf16").path
      let run = try CommandRun(["quantize", model, "-o", out, "--bits", "8", "--group-size", "32"])
      #expect(run.code == 0, "\(run.errors)")
      #expect(try CommandRun(["run", out, "--token-ids", "2,5", "--max-tokens", "2", "--ignore-eos"]).code == 0)
      #expect(try CommandRun(["quantize", out, "-o", out + "2"]).code == 69)
      #expect(try CommandRun(["quantize", model, "-o", out]).code == 1)
    }
  }

  @Test("the planned pool bytes are those a run takes, within 2 %")
  func plan() throws {
    let planned = try #require(try CommandRun(["inspect", "demo", "--format", "json"]).json()["pool_bytes"] as? Double)
    let run = try CommandRun(["run", "demo", "fox", "--max-tokens", "20", "--format", "json"]).json()
    let taken = try #require((run["statistics"] as? [String: Any])?["peak_pool_bytes"] as? Double)
    #expect(abs(taken / planned - 1) < 0.02)
  }
}
