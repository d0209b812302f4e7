import Foundation
import GemmaTestSupport
import Testing

#if os(Linux)
  /// What a shell can take away from the process: it answers, or says what it lacks, and ends with code 0 or 1.
  @Suite struct LimitTests {
    private func run(under limit: String, _ arguments: String = "demo fox -n 3 --seed 1") throws -> CommandRun {
      try CommandRun(shell: "\(limit) && exec timeout --kill-after=1 20 $gemma run \(arguments)")
    }

    @Test(
      "far too little address space, stack or descriptors is an error that names the limit to raise",
      arguments: ["ulimit -v 130000", "ulimit -d 60000", "ulimit -s 64", "ulimit -n 4", "ulimit -n 7", "ulimit -n 10"])
    func tooLittle(limit: String) throws {
      let run = try run(under: limit)
      #expect(run.code == 1 && run.output.isEmpty, "\(run.code) \(run.errors)")
      let letter = try #require(limit.split(separator: " ").dropFirst().first)
      #expect(
        run.errors.contains("limits are too low") && run.errors.contains("`ulimit") && run.errors.contains(letter))
      #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    }

    @Test("with little address space the answer is the same or an error, whatever the number of threads")
    func little() throws {
      let answer = try run(under: "true").output
      #expect(!answer.isEmpty)
      for kilobytes in [180_000, 220_000, 250_000, 280_000, 340_000, 460_000] {
        for threads in [1, 2, 300] {
          let run = try run(under: "ulimit -v \(kilobytes)", "demo fox -n 3 --seed 1 -t \(threads)")
          #expect(
            run.code == 0 ? run.output == answer : run.code == 1 && run.errors.hasPrefix("gemma"), "\(run.errors)")
        }
      }
      #expect(try run(under: "ulimit -v 800000", "demo fox -n 3 --seed 1 -t 64").output == answer)
    }

    @Test("a context for which the system has no memory is its limit, and not one that nobody set")
    func context() throws {
      let run = try run(under: "ulimit -v 4000000", "demo fox -n 3 -q -c 16000000")
      #expect(run.code == 1 && run.output.isEmpty, "\(run.code) \(run.errors)")
      #expect(run.errors.contains("not to be had") && run.errors.contains("context length"), "\(run.errors)")
      #expect(!run.errors.contains("memory limit"), "\(run.errors)")
    }

    @Test("a signal ends the process with code 2 where there is little address space too")
    func signal() throws {
      let line = "exec timeout --preserve-status -k 5 0.3 $gemma run demo fox -n 4000 --ignore-eos"
      let run = try CommandRun(shell: "ulimit -v 270000 && \(line)")
      #expect(run.code == 2 && run.errors == "Cancelled.\n", "\(run.code) \(run.errors)")
    }

    @Test("an unquantised model does without BLAS where the limit would not bear it")
    func unquantised() throws {
      let ids = (2...40).map(String.init).joined(separator: ",")
      let arguments =
        "'\(Fixtures.model("gemma3-bf16").path)' --token-ids \(ids) -n 4 --ignore-eos --temperature 0"
      let limited = try run(under: "ulimit -v 500000", arguments)
      #expect(limited.code == 0, "\(limited.errors)")
      #expect(try run(under: "true", arguments + " --reproducible").output == limited.output)
    }
  }
#endif
