import Foundation
import GemmaTestSupport
import Testing

@Suite("Progress", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
struct ProgressTests {
  /// What `gemma` writes to a stderr that is a terminal, which `script` of util-linux provides.
  private static func terminal(_ arguments: [String]) throws -> String {
    let list = arguments.map { "'\($0)'" }.joined(separator: " ")
    let run = try CommandRun(shell: "script -qec \"'$gemma' \(list) >/dev/null\" /dev/null </dev/null")
    #expect(run.code == 0, "\(run.output)")
    return run.output
  }

  private static let prompt = Array(repeating: "300", count: 64).joined(separator: ",")

  @Test("a terminal shows loading, prefill and quantising, and the line is cleared at the end")
  func shown() throws {
    try Fixtures.withTemporaryFolder { folder in
      let run = try Self.terminal(["run", "demo", "--token-ids", Self.prompt, "-n", "2", "--prefill-chunk", "16"])
      #expect(run.contains("Loading: ") && run.contains("Reading the prompt: 32 of 64 tokens"), "\(run)")
      #expect(run.hasSuffix("\u{1B}[K"))
      let quantize = try Self.terminal([
        "quantize", Fixtures.model("gemma3-bf16").path, "-o", folder.appending(path: "out").path,
      ])
      #expect(quantize.contains("Quantising: 100 %") && quantize.hasSuffix("\u{1B}[K"), "\(quantize)")
    }
  }

  @Test("a message stands on a line of its own, behind an answer without its end and in place of progress")
  func messages() throws {
    for (command, progress) in [
      ("run demo fox --ignore-eos -c 100000", nil), ("score demo -f /dev/stdin -c 60000", "Scoring: "),
    ] {
      let text = "for i in {1..4000}; do echo Once upon a time there was a fox.; done"
      let line = "\(text) | timeout --foreground -s INT 0.6 '$gemma' \(command)"
      let run = try CommandRun(shell: "SHELL=/bin/bash script -qec \"\(line)\" /dev/null </dev/null")
      #expect(progress.map(run.output.contains) ?? true)
      let before = progress == nil ? "\r\n" : "\r\u{1B}[K"
      #expect(run.output.hasSuffix(before + "Cancelled.\r\n"), "\(run.output.suffix(80).debugDescription)")
    }
  }

  @Test("--quiet shows none of it, and neither does a stderr that is no terminal")
  func quiet() throws {
    try Fixtures.withTemporaryFolder { folder in
      let model = Fixtures.model("gemma3-bf16").path
      let commands = [
        ["run", "demo", "--token-ids", Self.prompt, "-n", "2", "--prefill-chunk", "16"],
        ["score", "demo", "--token-ids", Self.prompt],
        ["bench", "demo", "--prompt-tokens", "8", "--response-tokens", "2", "--repetitions", "1"],
        ["quantize", model, "-o"],
      ]
      for (index, command) in commands.enumerated() {
        let isQuantizing = command.last == "-o"
        let paths = ["a", "b"].map { isQuantizing ? [folder.appending(path: "\($0)\(index)").path] : [] }
        #expect(try Self.terminal(command + paths[0] + ["-q"]).isEmpty)
        let plain = try CommandRun(command + paths[1])
        #expect(plain.code == 0 && plain.errors.isEmpty)
      }
    }
  }
}
