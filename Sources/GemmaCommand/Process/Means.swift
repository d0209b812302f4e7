import Foundation
import GemmaKernels
import GemmaRuntime

/// What the process needs from the system before it can do anything.
enum Means {
  private static let smallestStack = 512 << 10

  /// Ends the process with a message where there is too little. Called before the first task, because the runtime of
  /// tasks would be the first to fail.
  static func require() {
    beFrugal()
    do throws(GemmaError) {
      try checkStack()
      try SystemLimits.check(megabytes: 128, descriptors: 12, threads: 6)
    } catch {
      Console.error("gemma: \(error.localizedDescription)")
      _exit(ExitCode(error).rawValue)
    }
  }

  private static func beFrugal() {
    if limit(RLIMIT_AS) != nil || limit(RLIMIT_DATA) != nil { ck_allocate_from_one_arena() }
  }

  /// The size of the threads' stacks, which is that of the first one's unless it has no limit.
  private static func checkStack() throws(GemmaError) {
    if let bytes = limit(RLIMIT_STACK), bytes < smallestStack {
      throw .systemLimit("a stack of \(smallestStack >> 10) KB is needed, not \(bytes >> 10) KB; raise `ulimit -s`")
    }
  }

  #if canImport(Glibc)
    private typealias Resource = __rlimit_resource
  #else
    private typealias Resource = Int32
  #endif

  /// nil where there is none.
  private static func limit(_ resource: Resource) -> rlim_t? {
    var limit = rlimit()
    #if canImport(Glibc)
      let status = getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    #else
      let status = getrlimit(resource, &limit)
    #endif
    return status == 0 && limit.rlim_cur != rlim_t.max ? limit.rlim_cur : nil
  }
}
