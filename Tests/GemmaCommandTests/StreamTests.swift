import Foundation
import GemmaTestSupport
import Testing

@Suite("Standard streams and prompt files")
struct StreamTests {
  @Test(
    "an output that takes nothing is code 1 with the reason, for text and JSON",
    arguments: [
      (">/dev/full", "the disk is full"),
      (">&-", "it is closed"),
      (">&- <&-", "it is closed"),
      ("</dev/null >/dev/null 1<&0", "it is closed"),
    ])
  func output(_ redirection: String, _ reason: String) throws {
    for command in ["run demo fox -n 3", "run demo fox -n 3 --format json", "tokenize demo fox", "help"] {
      let run = try CommandRun(shell: "$gemma \(command) \(redirection)")
      #expect(run.code == 1, "\(command) \(redirection): \(run.errors)")
      #expect(run.errors.contains("cannot be written to standard output: \(reason)"), "\(run.errors)")
    }
  }

  @Test("a reader that leaves ends the work with code 1, not with a signal")
  func reader() throws {
    let line = "$gemma run demo fox --ignore-eos --temperature 0 | head -c 1; exit ${PIPESTATUS[0]}"
    let run = try CommandRun(shell: line)
    #expect(run.code == 1)
    #expect(run.errors.contains("its reader has gone"), "\(run.errors)")
    #expect(!run.errors.contains("Cancelled"))
  }

  @Test("a closed stderr changes nothing about the answer")
  func closedErrors() throws {
    let arguments = "run demo fox -n 5 --temperature 0"
    let open = try CommandRun(shell: "$gemma \(arguments)")
    let closed = try CommandRun(shell: "$gemma \(arguments) 2>&-")
    #expect(closed.code == 0 && closed.output == open.output && !open.output.isEmpty)
  }

  @Test("a prompt is read from files, stdin and process substitution alike")
  func sources() throws {
    try Fixtures.withTemporaryFolder { folder in
      let file = folder.appending(path: "prompt.txt").path
      try Data("Tell me about a fox".utf8).write(to: URL(filePath: file))
      let signed = folder.appending(path: "signed.txt").path
      try (Data([0xEF, 0xBB, 0xBF]) + Data("Tell me about a fox".utf8)).write(to: URL(filePath: signed))
      let expected = try CommandRun(["run", "demo", "Tell me about a fox", "-n", "5", "--temperature", "0"])
      let tokens = try [file, signed].map { try CommandRun(["tokenize", "demo", "-f", $0]).output }
      #expect(tokens[0] == tokens[1] && !tokens[0].isEmpty)
      #expect(expected.code == 0)
      for source in ["-f '\(file)'", "-f <(cat '\(file)')", "- <'\(file)'", "-f - <'\(file)'", "- < <(cat '\(file)')"] {
        let run = try CommandRun(shell: "$gemma run demo -n 5 --temperature 0 \(source)")
        #expect(run.code == 0 && run.output == expected.output, "\(source): \(run.errors)")
      }
    }
  }

  @Test(
    "prompts that cannot be read are code 66 with the reason, an empty one 64, one that is not UTF-8 is 1",
    arguments: [
      ("- </", 66, "it is a folder; expected a file"),
      ("- <&-", 66, "it is closed"),
      ("-f /", 66, "it is a folder; expected a file"),
      ("-f /nonexistent", 66, "no such file"),
      ("-f /etc/passwd/x", 66, "a part of the path is a file"),
      ("-f /dev/zero", 66, "give a shorter text"),
      ("-f <(true)", 64, "the text is empty"),
      ("- </dev/null", 64, "the text is empty"),
      ("-f <(printf '\\xff\\xfe')", 1, "UTF-8"),
      ("- < <(printf 'fox\\xc3')", 1, "UTF-8"),
      ("$'\\xff'", 64, "UTF-8"),
    ] as [(String, Int32, String)])
  func input(_ source: String, _ code: Int32, _ reason: String) throws {
    let run = try CommandRun(shell: "$gemma run demo -n 3 \(source)")
    #expect(run.code == code, "\(run.errors)")
    #expect(run.errors.contains(reason), "\(run.errors)")
    #expect(run.output.isEmpty)
  }
}
