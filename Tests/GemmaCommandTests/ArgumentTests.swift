import Foundation
import GemmaTestSupport
import Testing

@Suite("Arguments")
struct ArgumentTests {
  @Test("a short option's value may be attached, and what cannot be one is an error that says so")
  func attached() throws {
    let plain = try CommandRun(["run", "demo", "A fox", "-n", "3", "-c", "64", "--seed", "1"])
    let attached = try CommandRun(["run", "demo", "A fox", "-n3", "-c64", "--seed", "1"])
    #expect(plain.code == 0 && attached.code == 0 && attached.output == plain.output, "\(attached.errors)")
    for (option, words) in [("-n=3", "\"=3\""), ("-none", "\"one\""), ("-qv", "unknown option -qv")] {
      let run = try CommandRun(["run", "demo", "A fox", option])
      #expect(run.code == 64 && run.errors.contains(words), "\(option): \(run.errors)")
    }
  }

  @Test(
    "no command has two options of one name or letter, and each option that its help lists is taken",
    arguments: ["run", "score", "tokenize", "inspect", "quantize", "slice", "verify", "bench"])
  func declared(command: String) throws {
    let help = try CommandRun(["help", command]).output
    let labels = help.split(separator: "\n").map { $0.drop(while: { $0 == " " }) }.filter { $0.hasPrefix("-") }
    let words = labels.map { $0.split(separator: " ").prefix { $0.hasPrefix("-") }.map(String.init) }
    let (names, letters) = (words.compactMap(\.last), words.filter { $0.count > 1 }.map { $0[0] })
    #expect(names.count > 10 && names.allSatisfy { $0.hasPrefix("--") } && Set(names).count == names.count)
    #expect(Set(letters).count == letters.count)
    for name in names {
      // Given twice, it is refused by name: as one that needs a value, takes none, or may not be repeated.
      let run = try CommandRun([command, "\(name)=x", "\(name)=x", "--no-such-option"])
      #expect(run.code == 64 && !run.errors.contains("unknown option \(name)"), "\(name): \(run.errors)")
    }
  }

  @Test("text that begins with a dash goes behind --, as the error says")
  func dashes() throws {
    let refused = try CommandRun(["tokenize", "demo", "- a fox"])
    #expect(refused.code == 64 && refused.errors.contains("behind --"), "\(refused.errors)")
    let taken = try CommandRun(["tokenize", "demo", "--", "- a fox"])
    #expect(taken.code == 0 && !taken.output.isEmpty, "\(taken.errors)")
    // A misspelt option is more likely than a text.
    #expect(try !CommandRun(["tokenize", "demo", "--speciel"]).errors.contains("behind --"))
  }

  @Test("the name of a model on the web is told that nothing is downloaded; an empty file name is no folder")
  func names() throws {
    let absent = try CommandRun(["run", "google/gemma-3n-E2B-it", "fox"])
    #expect(absent.code == 66 && absent.errors.contains("not downloaded"), "\(absent.errors)")
    let empty = try CommandRun(["run", "demo", "-f", ""])
    #expect(empty.code == 64 && empty.errors.contains("--file needs the name"), "\(empty.errors)")
  }

  @Test("verify takes the number of threads that is asked for beside one and two")
  func threads() throws {
    let arguments = ["verify", "demo", "--prompt-tokens", "4", "--response-tokens", "2", "--kernels", "portable"]
    let report = try CommandRun(arguments + ["-t", "3", "--format", "json"]).json()
    let verdicts = try #require(report["verdicts"] as? [[String: Any]])
    #expect(Set(verdicts.compactMap { $0["threads"] as? Int }) == [1, 2, 3])
    #expect(report["is_identical"] as? Bool == true)
  }

  @Test("too small a limit is told of all that is missing, not of the first part")
  func memory() throws {
    let pool = try #require(try CommandRun(["inspect", "demo", "--format", "json"]).json()["pool_bytes"] as? Int)
    let run = try CommandRun(["run", "demo", "fox", "--memory-limit", "1KB"])
    #expect(run.code == 1 && run.errors.contains(" \(pool) bytes are needed"), "\(run.errors)")
    #expect(try CommandRun(["run", "demo", "fox", "-n", "2", "--memory-limit", "\(pool)"]).code == 0)
  }

  @Test("quantize says that it leaves a drafter behind")
  func drafter() throws {
    try Fixtures.withTemporaryFolder { folder in
      let model = folder.appending(path: "model")
      try FileManager.default.copyItem(at: Fixtures.model("gemma4-e"), to: model)
      try FileManager.default.copyItem(at: Fixtures.drafter("gemma4-e"), to: model.appending(path: "drafter"))
      let out = folder.appending(path: "out").path
      let run = try CommandRun(["quantize", model.path, "-o", out])
      #expect(run.code == 0 && run.errors.contains("drafter is not copied"), "\(run.errors)")
      let quiet = try CommandRun(["quantize", model.path, "-o", out + "2", "-q"])
      #expect(quiet.code == 0 && quiet.errors.isEmpty, "\(quiet.errors)")
    }
  }
}
