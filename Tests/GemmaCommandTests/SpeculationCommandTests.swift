import Foundation
import GemmaTestSupport
import Testing

@Suite("Drafts on the command line")
struct SpeculationCommandTests {
  private static let loop = ["Tell me about a fox", "--temperature", "0", "--ignore-eos", "-n", "150"]

  @Test("--trace-drafts lists the rounds, which add up to the statistics, and the ids stay as they are")
  func trace() throws {
    let plain = try CommandRun(["run", "demo"] + Self.loop + ["--format", "json", "--speculation", "off"]).json()
    #expect(plain["rounds"] == nil)
    let run = try CommandRun(
      ["run", "demo"] + Self.loop + ["--format", "json", "--speculation", "4", "--trace-drafts"])
    #expect(run.code == 0, "\(run.errors)")
    let drafted = try run.json()
    #expect(drafted["token_ids"] as? [Int] == plain["token_ids"] as? [Int])
    #expect(drafted["text"] as? String == plain["text"] as? String)
    let rounds = try #require(drafted["rounds"] as? [[String: Any]])
    #expect(rounds.count > 10)
    var (count, accepted) = (0, 0)
    let text = try #require(drafted["prompt_token_ids"] as? [Int]) + (drafted["token_ids"] as? [Int] ?? [])
    for round in rounds {
      #expect(Set(round.keys) == ["position", "source", "drafted", "accepted"])
      #expect(round["source"] as? String == "prompt_lookup")
      let ids = try #require(round["drafted"] as? [Int])
      let right = try #require(round["accepted"] as? Int)
      let position = try #require(round["position"] as? Int)
      #expect((1...4).contains(ids.count) && (0...ids.count).contains(right))
      #expect(Array(text[position..<position + right]) == Array(ids[..<right]))
      count += ids.count
      accepted += right
    }
    let statistics = try #require(drafted["statistics"] as? [String: Any])
    #expect(statistics["drafted_tokens"] as? Int == count && statistics["accepted_tokens"] as? Int == accepted)
    #expect(statistics["draft_rounds"] as? Int == rounds.count)
  }

  @Test("--stats shows on stderr what the drafts brought")
  func stats() throws {
    let run = try CommandRun(["run", "demo"] + Self.loop + ["--speculation", "8", "--stats", "-q"])
    #expect(run.code == 0)
    #expect(run.errors.contains("prompt_lookup: ") && run.errors.contains("rounds with drafts"))
    let plain = try CommandRun(["run", "demo"] + Self.loop + ["--speculation", "off", "--stats", "-q"])
    #expect(plain.output == run.output && !plain.errors.contains("rounds"))
  }

  @Test("demo4 drafts with the drafter in its folder, unless told otherwise")
  func bundled() throws {
    let story = [
      "run", "demo4", "Tell me a story", "--temperature", "0", "-n", "60", "--stats", "-q", "--speculation", "3",
    ]
    let own = try CommandRun(story)
    let none = try CommandRun(story + ["--drafter", "none"])
    #expect(own.code == 0 && own.output == none.output)
    #expect(own.errors.contains("drafter: ") && !none.errors.contains("drafter: "))
    #expect(own.errors.contains("time saved unknown: no step went without drafts"))
    let named = try CommandRun(story + ["--drafter", Fixtures.demo4.appending(path: "drafter").path])
    #expect(named.output == own.output && named.errors.contains("drafter: "))
  }

  @Test("verify checks the drafter of the model's folder, a slice that is asked for, and what fails is an error")
  func verified() throws {
    let verify = ["verify", "demo4", "--prompt-tokens", "24", "--response-tokens", "12", "--kernels", "portable"]
    func drafted(_ arguments: [String]) throws -> Int {
      let report = try CommandRun(arguments + ["--format", "json"]).json()
      #expect(report["is_identical"] as? Bool == true, "\(arguments)")
      let verdicts = try #require(report["verdicts"] as? [[String: Any]])
      return verdicts.reduce(0) { $0 + ($1["drafted_tokens"] as? Int ?? 0) }
    }
    let (own, none) = (try drafted(verify), try drafted(verify + ["--drafter", "none"]))
    #expect(none > 0 && own > none)
    let slices = [verify[0], "demo"] + verify[2...]
    #expect(try drafted(slices + ["--drafter", "half"]) > drafted(Array(slices)))
    let refused = try CommandRun(verify + ["--drafter", "/nowhere"])
    #expect(refused.code == 66 && refused.output.isEmpty, "\(refused.errors)")
  }

  @Test("A drafter that does not belong to the model, or is none, is refused before any text")
  func unsuitable() throws {
    let drafter = Fixtures.demo4.appending(path: "drafter").path
    let cases = [
      ("demo", drafter, 69), ("demo4", "/nowhere", 66), ("demo4", Fixtures.model("gemma4-e").path, 69),
      ("demo", "full", 64), ("demo", "9/8", 64), ("demo4", "half", 64), ("demo4", "", 64),
    ]
    for (model, drafter, code) in cases {
      let options = [model, "--drafter", drafter]
      let run = try CommandRun(["run", model, "fox", "-n", "5", "--drafter", drafter])
      #expect(
        run.code == Int32(code) && run.output.isEmpty && !run.errors.isEmpty, "\(options): \(run.code) \(run.errors)")
    }
  }

  private static let story = ["-c", "256", "--temperature", "0", "-n", "30", "Tell me a story"]
  private static let bench = ["bench", "-c", "256", "--response-tokens", "8", "--repetitions", "1", "--prompt-tokens"]

  @Test("A drafter that fails is named on stderr, by run and bench, and the answer is the plain one")
  func failing() throws {
    try Fixtures.withTemporaryFolder { folder in
      let model = folder.appending(path: "model")
      try FileManager.default.copyItem(at: Fixtures.demo4, to: model)
      let weights = model.appending(path: "drafter/model.safetensors")
      var bytes = try Data(contentsOf: weights)
      let length = bytes.prefix(8).enumerated().reduce(0) { $0 | Int($1.element) << ($1.offset * 8) }
      let header = try JSONSerialization.jsonObject(with: bytes[8..<8 + length]) as? [String: Any]
      let entry = try #require(header?["model.norm.weight"] as? [String: Any])
      let range = try #require(entry["data_offsets"] as? [Int])
      // All bits set are NaN in every float type.
      for place in range[0]..<range[1] { bytes[8 + length + place] = 0xFF }
      try bytes.write(to: weights)
      let failed = try CommandRun(["run", model.path] + Self.story)
      #expect(failed.code == 0 && failed.errors.contains("drafting failed"), "\(failed.errors)")
      #expect(try failed.output == CommandRun(["run", "demo4"] + Self.story + ["--speculation", "off"]).output)
      let verify = ["verify", model.path, "--kernels", "portable", "--prompt-tokens", "8", "--response-tokens", "4"]
      let verified = try CommandRun(verify)
      #expect(verified.code == 1 && verified.errors.contains("drafting failed"), "\(verified.errors)")
      let drafter = ["--drafter", model.appending(path: "drafter").path]
      let figures = try CommandRun(Self.bench + ["16", model.path] + drafter)
      #expect(figures.code == 0 && figures.errors.contains("drafting failed"), "\(figures.errors)")
    }
  }

  @Test("A memory limit counts the drafter in: at the plan it drafts, below a drafter one asked for is refused")
  func limit() throws {
    let context = ["demo4", "-c", "256", "--format", "json"]
    let pool = try #require(CommandRun(["inspect"] + context).json()["pool_bytes"] as? Int)
    let drafter = ["--drafter", Fixtures.demo4.appending(path: "drafter").path]
    let run = ["run", "demo4"] + Self.story
    let (enough, little) = (["--memory-limit", "\(pool)"], ["--memory-limit", "\(pool - 1)"])
    let drafts = try CommandRun(run + enough + ["--stats", "--speculation", "2"])
    #expect(drafts.code == 0 && drafts.errors.contains("\ndrafter: "), "\(drafts.errors)")
    #expect(!drafts.errors.contains("going on without"))
    let own = try CommandRun(run + little)
    #expect(own.code == 0 && own.output == drafts.output, "\(own.errors)")
    #expect(own.errors.contains("going on without") && own.errors.contains("\(pool) bytes are needed"))
    for arguments in [run, Self.bench + ["16", "demo4"]] {
      let refused = try CommandRun(arguments + drafter + little)
      #expect(refused.code == 1 && refused.output.isEmpty, "\(refused.errors)")
      #expect(refused.errors.contains("\(pool) bytes are needed") && refused.errors.contains("--drafter none"))
    }
    // Too little for the model itself is the model's error alone.
    let tiny = try CommandRun(run + ["--memory-limit", "1MB"])
    #expect(tiny.code == 1 && !tiny.errors.contains("going on without"), "\(tiny.errors)")
  }

  @Test(
    "Wrong numbers and combinations are usage errors",
    arguments: [["--speculation", "9"], ["--speculation", "0"], ["--speculation", "on"], ["--trace-drafts"]])
  func refused(options: [String]) throws {
    let run = try CommandRun(["run", "demo", "fox"] + options)
    #expect(run.code == 64 && run.output.isEmpty && !run.errors.isEmpty, "\(options): \(run.errors)")
  }

  @Test("--drafter takes a slice of a Gemma 3n, which says the plain text; what does not fit is a usage error")
  func slices() throws {
    let story = ["run", "demo", "Tell me about a fox", "--seed", "4", "-n", "60", "--format", "json"]
    let plain = try CommandRun(story + ["--speculation", "off"]).json()
    let run = try CommandRun(story + ["--drafter", "half", "--speculation", "3", "--trace-drafts"])
    #expect(run.code == 0, "\(run.errors)")
    let drafted = try run.json()
    #expect(drafted["token_ids"] as? [Int] == plain["token_ids"] as? [Int])
    let rounds = try #require(drafted["rounds"] as? [[String: Any]])
    #expect(rounds.count > 10 && rounds.allSatisfy { $0["source"] as? String == "slice" })
    for (name, words) in [("e2b", "layer 20"), ("no-such-slice", "half")] {
      let refused = try CommandRun(["run", "demo", "fox", "--drafter", name])
      #expect(refused.code == 64 && refused.errors.contains(words), "\(refused.errors)")
    }
  }
}
