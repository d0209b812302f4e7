import Foundation
import GemmaTestSupport
import Testing

@Suite("Signals")
struct SignalTests {
  /// A checkpoint of 16 GB that takes no space: quantising it lasts long enough to be interrupted.
  private static func writeLargeModel(to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: Fixtures.model("gemma3-bf16").appending(path: "config.json"), to: folder.appending(path: "config.json"))
    let size = 1 << 34
    let header = """
      {"model.embed_tokens.weight":{"dtype":"BF16","shape":[262144,32768],"data_offsets":[0,\(size)]}}
      """
    let file = folder.appending(path: "model.safetensors")
    try (withUnsafeBytes(of: UInt64(header.utf8.count).littleEndian) { Data($0) } + Data(header.utf8)).write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: UInt64(8 + header.utf8.count + size))
    try handle.close()
  }

  private static func start(_ arguments: [String], output: FileHandle = .nullDevice) throws -> Process {
    let process = Process()
    process.executableURL = try CommandRun.executable()
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// The hidden folders beside `out`.
  private static func partials(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(".out.partial-") }
  }

  /// A running `gemma quantize` to `out` that has begun to write.
  private static func quantizing(_ model: URL, in folder: URL) throws -> Process {
    let before = try partials(in: folder).count
    let process = try start(["quantize", model.path, "-o", folder.appending(path: "out").path])
    let end = ContinuousClock.now + .seconds(20)
    while try partials(in: folder).count == before, process.isRunning, ContinuousClock.now < end {
      Thread.sleep(forTimeInterval: 0.005)
    }
    try #require(process.isRunning)
    return process
  }

  @Test("quantize ends with code 2 and leaves nothing", arguments: [SIGINT, SIGTERM, SIGHUP])
  func quantize(_ number: Int32) throws {
    try Fixtures.withTemporaryFolder { folder in
      let model = folder.appending(path: "model")
      try Self.writeLargeModel(to: model)
      let process = try Self.quantizing(model, in: folder)
      kill(process.processIdentifier, number)
      process.waitUntilExit()
      #expect(process.terminationReason == .exit && process.terminationStatus == 2)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["model"])
    }
  }

  @Test("what a killed quantize left is removed by the next of the same name, what a living one writes is not")
  func abandoned() throws {
    try Fixtures.withTemporaryFolder { folder in
      let model = folder.appending(path: "model")
      try Self.writeLargeModel(to: model)
      let other = folder.appending(path: ".other.partial-\(UUID().uuidString)")
      let unlike = folder.appending(path: ".out.partial-mine")
      for kept in [other, unlike] {
        try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: false)
      }
      let killed = try Self.quantizing(model, in: folder)
      defer { killed.terminate() }
      kill(killed.processIdentifier, SIGKILL)
      killed.waitUntilExit()
      #expect(try Self.partials(in: folder).count == 2)
      let living = try Self.quantizing(model, in: folder)
      defer { living.terminate() }
      let small = try CommandRun([
        "quantize", Fixtures.model("gemma3-bf16").path, "-o", folder.appending(path: "out").path,
      ])
      #expect(small.code == 0, "\(small.errors)")
      #expect(living.isRunning)
      #expect(try Self.partials(in: folder).count == 2)  // the living one's and `unlike`
      #expect(FileManager.default.fileExists(atPath: other.path))
      living.terminate()
      living.waitUntilExit()
      #expect(try Self.partials(in: folder) == [unlike.lastPathComponent])
    }
  }

  @Test(
    "generation, a wait for stdin or for a named pipe, and a blocked output all end with code 2",
    arguments: [SIGINT, SIGTERM, SIGHUP])
  func others(_ number: Int32) throws {
    try Fixtures.withTemporaryFolder { folder in
      let fifo = folder.appending(path: "fifo").path
      #expect(mkfifo(fifo, 0o600) == 0)
      let endless = ["run", "demo", "fox", "--ignore-eos", "--temperature", "0", "-c", "100000"]
      let unread = Pipe()
      let processes = [
        try Self.start(endless), try Self.start(["run", "demo", "-f", fifo]),
        try Self.start(
          ["tokenize", "demo", "--decode", Array(repeating: "331", count: 20_000).joined(separator: ",")],
          output: unread.fileHandleForWriting),
      ]
      Thread.sleep(forTimeInterval: 0.6)
      for process in processes {
        #expect(process.isRunning)
        kill(process.processIdentifier, number)
      }
      for process in processes {
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 2)
      }
    }
  }

  @Test(
    "a terminal that is closed cancels the work, although the answer cannot be written first",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
  func closedTerminal() throws {
    try Fixtures.withTemporaryFolder { folder in
      let errors = folder.appending(path: "errors").path
      let run = try CommandRun(
        shell: """
          work="exec '$gemma' run demo fox --ignore-eos -c 100000 -q 2>'\(errors)'"
          SHELL=/bin/bash script -qec "$work" /dev/null >/dev/null 2>&1 </dev/null & sleep 0.5; kill -9 $!
          for i in {1..100}; do [ -s '\(errors)' ] && break; sleep 0.05; done; cat '\(errors)'
          """)
      #expect(run.output == "Cancelled.\n", "\(run.output) \(run.errors)")
    }
  }

  #if os(Linux)
    /// The signals of a mask in /proc/PID/status, such as "SigCgt"; nil once the process is gone.
    private static func signals(_ mask: String, of process: Process) -> UInt64? {
      let file = URL(filePath: "/proc/\(process.processIdentifier)/status")
      guard let text = try? String(contentsOf: file, encoding: .utf8),
        let line = text.split(separator: "\n").first(where: { $0.hasPrefix(mask + ":") })
      else { return nil }
      return UInt64(line.dropFirst(mask.count + 1).filter { !$0.isWhitespace }, radix: 16)
    }

    @Test("signals are caught before the program does anything else, such as to ignore lost readers")
    func first() throws {
      func bit(_ number: Int32) -> UInt64 { 1 << UInt64(number - 1) }
      var looks = 0
      for _ in 0..<8 {
        let process = try Self.start(["run", "demo", "fox", "--ignore-eos", "-n", "200"])
        defer { process.terminate() }
        while process.isRunning {
          // Ignored first, caught second: what is seen later may only be more.
          guard let ignored = Self.signals("SigIgn", of: process), let caught = Self.signals("SigCgt", of: process)
          else {
            break
          }
          looks += 1
          guard ignored & bit(SIGXFSZ) != 0 else { continue }
          for number in [SIGINT, SIGTERM, SIGHUP] { #expect(caught & bit(number) != 0, "signal \(number)") }
          break
        }
      }
      #expect(looks > 8)
    }
  #endif
}
