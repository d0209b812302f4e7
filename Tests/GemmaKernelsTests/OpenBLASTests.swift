#if os(Linux)
  import Foundation
  import GemmaOpenBLAS
  import Testing

  @Suite("OpenBLAS") struct OpenBLASTests {
    private let name = "OPENBLAS_NUM_THREADS"

    /// The environment as the system handed it over.
    private func original() throws -> Set<String> {
      let bytes = try Data(contentsOf: URL(filePath: "/proc/self/environ"))
      return Set(bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) })
    }

    @Test("it starts with no thread of its own, unless the user asks for some")
    func threads() throws {
      guard try original().allSatisfy({ !$0.hasPrefix(name + "=") }) else { return }
      #expect(openblas_get_num_threads() == 1)
    }

    @Test("the environment is the one that the process was given")
    func environment() throws {
      let now = Set(ProcessInfo.processInfo.environment.map { $0.key + "=" + $0.value })
      #expect(now.contains { $0.hasPrefix(name + "=") } == (try original()).contains { $0.hasPrefix(name + "=") })
      for variable in ["_", "SHLVL", "OLDPWD", "PWD", "PATH"] {
        let given = try original().filter { $0.hasPrefix(variable + "=") }
        #expect(given.isSubset(of: now), "\(variable)")
      }
    }
  }
#endif
