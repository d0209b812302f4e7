import Foundation
import TestSupport
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
    let named = try CommandRun(story + ["--drafter", Fixtures.demo4.appending(path: "drafter").path])
    #expect(named.output == own.output && named.errors.contains("drafter: "))
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

  @Test("A drafter that fails is named on stderr, by run and bench, and the answer is the plain one")
  func failing() throws {
    let context = ["demo4", "-c", "256"]
    let pool = try #require(CommandRun(["inspect", "--format", "json"] + context).json()["pool_bytes"] as? Int)
    // Room for the model's context, none for the drafter's.
    let limit = ["--memory-limit", "\(pool + 4096)"]
    let story = context + ["--temperature", "0", "-n", "30", "Tell me a story"]
    let failed = try CommandRun(["run"] + story + limit)
    #expect(failed.code == 0 && failed.errors.contains("drafting failed"), "\(failed.errors)")
    #expect(try failed.output == CommandRun(["run"] + story + ["--speculation", "off"]).output)
    let bench = ["--drafter", Fixtures.demo4.appending(path: "drafter").path, "--prompt-tokens", "16"]
    let figures = try CommandRun(["bench", "--response-tokens", "8", "--repetitions", "1"] + context + bench + limit)
    #expect(figures.code == 0 && figures.errors.contains("drafting failed"), "\(figures.errors)")
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
