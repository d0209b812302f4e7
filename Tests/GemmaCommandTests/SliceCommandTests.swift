import Foundation
import GemmaTestSupport
import Testing

@Suite("Slices on the command line")
struct SliceCommandTests {
  private static let whole = Fixtures.slice("gemma3n-q4-g32").path

  private func inspect(_ arguments: [String]) throws -> [String: Any] {
    let run = try CommandRun(["inspect", "--format", "json"] + arguments)
    #expect(run.code == 0, "\(run.errors)")
    return try run.json()
  }

  @Test("inspect tells what a slice keeps and saves, and a written slice has just that")
  func inspect() throws {
    try Fixtures.withTemporaryFolder { folder in
      let full = try inspect([Self.whole])
      let part = try inspect([Self.whole, "--slice", "e2b"])
      let slice = try #require(part["slice"] as? [String: Any])
      #expect(full["slice"] == nil && slice["layers"] as? Int == 30)
      #expect(slice["skipped_layers"] as? [Int] == [20, 21, 22, 23, 24])
      let whole = try #require(slice["whole"] as? [String: Any])
      for key in ["parameters", "effective_parameters", "bytes_read_per_token"] {
        #expect(whole[key] as? Int == full[key] as? Int, "\(key)")
        #expect(try #require(part[key] as? Int) < #require(full[key] as? Int), "\(key)")
      }
      let out = folder.appending(path: "out").path
      let run = try CommandRun(["slice", Self.whole, "e2b", "-o", out])
      #expect(run.code == 0 && run.output.contains("30 layers"), "\(run.errors)")
      // The fixture's layers are narrower than those for which e2b is written.
      let note = try #require(slice["rescaling"] as? String)
      #expect(note.contains("16384") && run.output.contains("\n\(note)\n"))
      #expect(try CommandRun(["inspect", Self.whole, "--slice", "e2b"]).output.contains("\n  \(note)\n"))
      let written = try inspect([out])
      for key in ["parameters", "effective_parameters", "bytes_read_per_token"] {
        #expect(written[key] as? Int == part[key] as? Int, "\(key)")
      }
      let parts = [written, part].map { $0["parts"] as? [String: [String: Int]] }
      #expect(parts[0] == parts[1] && parts[0] != nil)
      let scores = try [[Self.whole, "--slice", "e2b"], [out]].map {
        try CommandRun(["score", "--token-ids", "2,5,9,11,40"] + $0).output
      }
      #expect(scores[0] == scores[1] && !scores[0].isEmpty)
      #expect(try CommandRun(["inspect", Self.whole, "--slice", "half"]).output.contains("% less"))
    }
  }

  @Test("all kernel levels, thread counts and chunks agree on a slice to the bit, int8 caches or not")
  func verify() throws {
    for options in [[], ["--kv-cache", "int8"]] {
      let arguments = ["verify", Self.whole, "--slice", "e2b", "--prompt-tokens", "20", "--response-tokens", "2"]
      let run = try CommandRun(arguments + options)
      #expect(run.code == 0 && !run.output.contains("DIFFERENT") && run.output.contains("same"), "\(run.errors)")
    }
  }

  @Test("every command that runs a model takes --slice, and rows of recipe files")
  func everywhere() throws {
    try Fixtures.withTemporaryFolder { folder in
      let file = folder.appending(path: "r.csv")
      let widths = [String](repeating: "2_048 * 4", count: 10).joined(separator: ", ")
      try Data("name,FFN Hidden Dims,Layers Skipped\nmine,\"[\(widths)]\",\n".utf8).write(to: file)
      for arguments in [
        ["run", "demo", "A fox", "--max-tokens", "4", "--temperature", "0"], ["score", "demo", "A fox"],
        ["tokenize", "demo", "A fox"], ["inspect", "demo"],
        ["verify", "demo", "--prompt-tokens", "8", "--response-tokens", "2", "--kernels", "portable"],
      ] {
        let runs = try ["half", file.path + ":mine"].map { try CommandRun(arguments + ["--slice", $0]) }
        for run in runs { #expect(run.code == 0, "\(arguments[0]): \(run.errors)") }
        if arguments[0] != "inspect" { #expect(runs[0].output == runs[1].output, "\(arguments[0])") }
      }
      let scores = try [["--slice", "half"], []].map { try CommandRun(["score", "demo", "A fox"] + $0).output }
      #expect(scores[0] != scores[1])
    }
  }

  @Test("of several that write a folder of one name one does, and the others say that it is there")
  func race() throws {
    try Fixtures.withTemporaryFolder { folder in
      let slice = "$gemma slice demo half -o '\(folder.path)/out'"
      for _ in 0..<3 {
        let run = try CommandRun(
          shell: "for i in {1..6}; do \(slice) & done; for job in $(jobs -p); do wait $job && echo done; done; true")
        #expect(run.output.components(separatedBy: "\n").count { $0 == "done" } == 1, "\(run.output)")
        let errors = run.errors.split(separator: "\n")
        #expect(errors.count == 5, "\(run.errors)")
        for error in errors { #expect(error.contains("someone else") || error.contains("exists already"), "\(error)") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out"])
        try FileManager.default.removeItem(at: folder.appending(path: "out"))
      }
    }
  }

  @Test("slices that are not there or do not fit end with 64 and a message that names the layer or the choices")
  func refused() throws {
    let cases: [([String], Int32, String)] = [
      (["run", "demo", "x", "--slice", "e2b"], 64, "layer 20"),
      (["inspect", Self.whole, "--slice", "E2.98B"], 64, "block-level"),
      (["inspect", Self.whole, "--slice", "tiny"], 64, "N/8"),
      (["inspect", Self.whole, "--slice", ""], 64, "half"),
      (["inspect", Self.whole, "--slice", "/nowhere.csv:x"], 66, "recipe file"),
      (["inspect", Self.whole, "--slice", "/nowhere.CSV:x"], 66, "/nowhere.CSV"),
      (["inspect", Self.whole, "--slice", "recipes.csv"], 64, "recipes.csv:NAME"),
      (["score", Fixtures.model("gemma4-e").path, "--token-ids", "2", "--slice", "half"], 64, "Gemma 3n"),
      (["slice", Self.whole, "e2b"], 64, "-o FOLDER"), (["slice", Self.whole], 64, "slice is missing"),
      (["quantize", Fixtures.model("gemma3-bf16").path, "-o", "x", "--slice", "half"], 64, "gemma slice"),
      (["slice", Self.whole, "--slice", "half", "-o", "x"], 64, "second argument"),
      (["run", "demo", "x", "--slice", "9/8"], 64, "from 1 to 8"),
      (["slice", "demo", "1/2", "-o", "x"], 64, "from 1 to 8"),
    ]
    for (arguments, code, words) in cases {
      let run = try CommandRun(arguments)
      #expect(run.code == code && run.errors.contains(words), "\(arguments): \(run.code) \(run.errors)")
    }
  }
}
