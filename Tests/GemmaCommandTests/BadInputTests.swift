import Foundation
import GemmaTestSupport
import Testing

@Suite struct BadInputTests {
  @Test(
    "each misuse has its exit code and a message, and nothing on stdout",
    arguments: [
      ([], 64),
      (["sing"], 64),
      (["run"], 64),
      (["run", "demo"], 64),
      (["run", "demo", ""], 64),
      (["run", "demo", "fox", "extra"], 64),
      (["run", "demo", "fox", "--temprature", "1"], 64),
      (["run", "demo", "fox", "--temperature", "-1"], 64),
      (["run", "demo", "fox", "--temperature", "warm"], 64),
      (["run", "demo", "fox", "--top-p", "7"], 64),
      (["run", "demo", "fox", "--top-k", "0"], 64),
      (["run", "demo", "fox", "--threads", "0"], 64),
      (["run", "demo", "fox", "--max-tokens", "0"], 64),
      (["run", "demo", "fox", "--max-tokens"], 64),
      (["run", "demo", "fox", "--seed", "-4"], 64),
      (["run", "demo", "fox", "--kernels", "abacus"], 64),
      (["run", "demo", "fox", "--kv-cache", "int4"], 64),
      (["run", "demo", "fox", "--format", "xml"], 64),
      (["run", "demo", "fox", "--memory-limit", "much"], 64),
      (["run", "demo", "fox", "-c", "0"], 64),
      (["run", "demo", "--token-ids", "2,x"], 64),
      (["run", "demo", "--token-ids", "2,4096"], 64),
      (["run", "demo", "--token-ids", "99999999999"], 64),
      (["run", "demo", "-f", "/nonexistent/prompt.txt"], 66),
      (["run", "/nonexistent/model", "fox"], 66),
      (["run", "/nonexistent/model.gguf", "fox"], 66),
      (["run", "demo", "a long prompt for a short context", "-c", "4"], 1),
      (["run", "demo", "fox", "--memory-limit", "1KB"], 1),
      (["score", "demo", ""], 64),
      (["score", "demo", "fox", "--top", "5000"], 64),
      (["tokenize", "demo", "--decode", "5000"], 64),
      (["inspect"], 64),
      (["inspect", "/nonexistent/model"], 66),
      (["quantize", "demo"], 64),
      (["quantize", "/nonexistent/model", "-o", "/nonexistent/out"], 66),
      (["quantize", "demo", "-o", ""], 64),
      (["quantize", "demo", "-o", "out", "--bits", "5"], 64),
      (["quantize", "demo", "-o", "out", "--group-size", "-64"], 64),
      (["quantize", "demo", "-o", "out", "--keep", ""], 64),
      (["bench", "demo", "--repetitions", "0"], 64),
      (["bench", "demo", "--prompt-tokens", "0"], 64),
      (["bench", "demo", "--prompt-tokens", "8,"], 64),
      (["bench", "demo", "--response-tokens", "1"], 64),
      (["bench", "demo", "--response-tokens", "99999999999999999999"], 64),
      (["run", "", "fox"], 64),
      (["run", "demo", "fox", "--verbose=yes"], 64),
      (["run", "demo", "fox", "--seed", "1", "--seed", "2"], 64),
      (["run", "demo", "fox", "-q", "-q"], 64),
      (["run", "demo", "fox", "--temperature", "nan"], 64),
      (["run", "demo", "fox", "--temperature", "1e99"], 64),
      (["run", "demo", "fox", "--min-p", "-0.1"], 64),
      (["run", "demo", "fox", "--top-p", "0"], 64),
      (["run", "demo", "fox", "--repetition-penalty", "0"], 64),
      (["run", "demo", "fox", "--repetition-penalty", "inf"], 64),
      (["run", "demo", "fox", "--seed", "18446744073709551616"], 64),
      (["run", "demo", "fox", "--stop", ""], 64),
      (["run", "demo", "fox", "--prefill-chunk", "-1"], 64),
      (["run", "demo", "fox", "--threads", "9223372036854775808"], 64),
      (["run", "demo", "fox", "--cache-limit", "-1"], 64),
      (["run", "demo", "fox", "--cache-limit", "nanGB"], 64),
      (["run", "demo", "fox", "--memory-limit", "1e30GB"], 64),
      (["run", "demo", "fox", "--activations", "int4"], 64),
      (["run", "demo", "fox", "--system", "x", "--raw"], 64),
      (["run", "demo", "fox", "--token-ids", "2"], 64),
      (["run", "demo", "--token-ids", ""], 64),
      (["run", "demo", "--token-ids", "-1"], 64),
      (["score", "demo"], 64),
      (["score", "demo", "fox", "--top", "-1"], 64),
      (["score", "demo", "fox", "--top", "9223372036854775807"], 64),
      (["score", "demo", "fox", "--continuation", ""], 64),
      (["score", "demo", "--token-ids", "2,5", "--continuation", " time"], 64),
      (["score", "demo", "--token-ids", "2,5", "--continuation", "4096"], 64),
      (["score", "demo", "fox", "--token-ids", "2"], 64),
      (["tokenize", "demo", "fox", "--decode", "2"], 64),
      (["tokenize", "demo", "fox", "--threads", "0"], 64),
      (["tokenize", "demo", "fox", "-c", "-7"], 64),
      (["inspect", "demo", "-c", "99999999999"], 64),
      (["inspect", "demo", "demo"], 64),
      (["inspect", "/etc/passwd"], 66),
      (["verify", "demo", "--prompt-tokens", "0"], 64),
    ] as [([String], Int32)])
  func misuse(_ arguments: [String], _ code: Int32) throws {
    let run = try CommandRun(arguments)
    #expect(run.code == code, "\(run.errors)")
    #expect(run.output.isEmpty)
    #expect(run.errors.count > 20)
  }

  @Test("an unknown option names the nearest one")
  func suggestion() throws {
    let run = try CommandRun(["run", "demo", "fox", "--temprature", "1"])
    #expect(run.errors.contains("did you mean --temperature?"))
  }

  @Test("a prompt file that is not UTF-8 and a folder without weights are errors, not crashes")
  func damagedFiles() throws {
    try Fixtures.withTemporaryFolder { folder in
      let prompt = folder.appending(path: "prompt.txt")
      try Data([0x66, 0xFF, 0xFE]).write(to: prompt)
      let notText = try CommandRun(["run", "demo", "-f", prompt.path])
      #expect(notText.code == 1)
      #expect(notText.errors.contains("UTF-8"))
      #expect(try CommandRun(["run", folder.path, "fox"]).code == 66)
      try Data(#"{"model_type": "llama"}"#.utf8).write(to: folder.appending(path: "config.json"))
      #expect(try CommandRun(["run", folder.path, "fox"]).code == 69)
      try Data("{".utf8).write(to: folder.appending(path: "config.json"))
      #expect(try CommandRun(["run", folder.path, "fox"]).code == 1)
    }
  }

  @Test("a kernel level that the environment names is refused like one among the options")
  func environment() throws {
    let unknown = try CommandRun(shell: "GEMMA_KERNELS=abacus $gemma run demo fox")
    #expect(unknown.code == 64 && unknown.errors.contains("abacus") && unknown.output.isEmpty)
    let portable = try CommandRun(shell: "GEMMA_KERNELS=portable $gemma run demo fox -n 1 -v")
    #expect(portable.code == 0 && portable.errors.contains("portable kernels"), "\(portable.errors)")
  }

  @Test("an unwritable output folder fails and leaves nothing behind")
  func unwritable() throws {
    try Fixtures.withTemporaryFolder { folder in
      let blocked = folder.appending(path: "file")
      try Data("x".utf8).write(to: blocked)
      let out = blocked.appending(path: "out")
      let run = try CommandRun(["quantize", Fixtures.model("gemma3-bf16").path, "-o", out.path])
      #expect(run.code == 1, "\(run.errors)")
      #expect(!FileManager.default.fileExists(atPath: out.path))
    }
  }
}
