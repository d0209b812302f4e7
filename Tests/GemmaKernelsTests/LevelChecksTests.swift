import Foundation
import GemmaKernels
import GemmaLevelChecks
import Testing

/// Runs the checks of Tests/LevelChecks on this processor and makes each difference an issue of the test.
private func checkThisProcessor() -> level_checks_result {
  withLevel("portable") {
    level_checks_run { line in
      if let line { Issue.record("\(String(cString: line))") }
    }
  }
}

@Suite("Every kernel on every level")
struct LevelChecksTests {
  @Test("has the bits of portable on this processor")
  func here() {
    let result = checkThisProcessor()
    #expect(result.differences == 0)
    #expect(result.comparisons > 2000 * (ck_level_count() - 1))
  }

  @Test(
    "has the bits of portable on emulated ARM processors, and portable those of this processor",
    .enabled(if: Emulation.isInstalled, "needs clang, gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user"),
    arguments: Emulation.Compiler.allCases)
  func emulated(compiler: Emulation.Compiler) async throws {
    let here = checkThisProcessor()
    let folder = FileManager.default.temporaryDirectory.appending(path: "gemma-levels-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let program = folder.appending(path: "levels")
    let build = try await Emulation.build(program, with: compiler)
    try #require(build.code == 0, "\(build.output)")
    for processor in compiler.processors {
      let run = try await Emulation.run(program, on: processor.name)
      #expect(run.code == 0, "\(processor.name): \(run.output)")
      let lines = Dictionary(
        run.output.split(separator: "\n").compactMap { line in
          line.firstIndex(of: " ").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
        }, uniquingKeysWith: { first, _ in first })
      #expect(lines["levels"] == processor.levels.joined(separator: " "), "\(processor.name)")
      #expect(Int(lines["comparisons"] ?? "") ?? 0 > 2000 * (processor.levels.count - 1), "\(processor.name)")
      #expect(lines["digest"] == String(format: "%016lx", here.digest), "\(processor.name)")
    }
  }
}
