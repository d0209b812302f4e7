import Foundation

/// Programs for 64-bit ARM: a cross compiler builds them from CKernels and Tests/LevelChecks, qemu-user runs them.
enum Emulation {
  /// An emulated processor and the levels that its features allow.
  struct Processor {
    var name: String
    var levels: [String]
  }

  /// GCC and the C library come from packages; clang, which builds the package itself and therefore optimises as it
  /// does there, borrows that library.
  enum Compiler: CaseIterable {
    case gcc, clang

    var processors: [Processor] {
      let most = Processor(name: "max", levels: ["portable", "neon", "neon-dotprod", "neon-i8mm"])
      guard self == .gcc else { return [most] }
      return [
        most,
        Processor(name: "cortex-a53", levels: ["portable", "neon"]),
        Processor(name: "cortex-a76", levels: ["portable", "neon", "neon-dotprod"]),
        Processor(name: "neoverse-n1", levels: ["portable", "neon", "neon-dotprod"]),
      ]
    }

    fileprivate var command: [String] {
      switch self {
      case .gcc:
        // GCC does not know clang's pragmas and attributes, and contracts products and sums unless told not to.
        ["aarch64-linux-gnu-gcc", "-O1", "-Wno-unknown-pragmas", "-Wno-attributes", "-ffp-contract=off"]
      case .clang:
        ["clang", "-O2", "--target=aarch64-linux-gnu", "-fuse-ld=lld", "-isystem", library + "/include"]
      }
    }
  }

  private static let library = "/usr/aarch64-linux-gnu"
  private static let emulator = "qemu-aarch64"
  private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardized

  /// Whether compilers, emulator and C library are there.
  static var isInstalled: Bool {
    let tools = Compiler.allCases.map { $0.command[0] } + [emulator]
    return tools.allSatisfy { find($0) != nil } && FileManager.default.fileExists(atPath: library + "/include/stdio.h")
  }

  static func build(_ program: URL, with compiler: Compiler) async throws -> (code: Int32, output: String) {
    var sources: [URL] = []
    for folder in ["CKernels/portable", "CKernels/arm", "Tests/LevelChecks"] {
      sources += try FileManager.default.contentsOfDirectory(
        at: package.appending(path: folder), includingPropertiesForKeys: nil
      ).filter { $0.pathExtension == "c" }
    }
    // Threads and BLAS are not kernels.
    sources += ["cpu", "dispatch", "formats", "kernels"].map { package.appending(path: "CKernels/runtime/\($0).c") }
    let headers = ["CKernels", "CKernels/include", "Tests/LevelChecks/include"].map {
      "-I" + package.appending(path: $0).path
    }
    let flags = ["-std=gnu17", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
    return try await run(compiler.command + flags + headers + sources.map(\.path) + ["-lm", "-o", program.path])
  }

  static func run(_ program: URL, on processor: String) async throws -> (code: Int32, output: String) {
    try await run([emulator, "-L", library, "-cpu", processor, program.path])
  }

  private static func find(_ tool: String) -> URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { URL(filePath: String($0)).appending(path: tool) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Waits without holding a thread of the tests; output goes to a file, so that nothing blocks on a full pipe.
  private static func run(_ command: [String]) async throws -> (code: Int32, output: String) {
    guard let tool = find(command[0]) else { throw CocoaError(.fileNoSuchFile) }
    let log = FileManager.default.temporaryDirectory.appending(path: "gemma-emulation-\(UUID().uuidString)")
    try Data().write(to: log)
    let process = Process()
    process.executableURL = tool
    process.arguments = Array(command.dropFirst())
    process.standardOutput = try FileHandle(forWritingTo: log)
    process.standardError = process.standardOutput
    let code: Int32 = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { ended in
        continuation.resume(
          returning: ended.terminationReason == .exit ? ended.terminationStatus : -ended.terminationStatus)
      }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    let output = String(decoding: try Data(contentsOf: log), as: UTF8.self)
    try FileManager.default.removeItem(at: log)
    return (code, output)
  }
}
