import GemmaKernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What this package and the runtimes below it (Swift's, dispatch's, OpenMP's) need from the system at the least.
///
/// Those runtimes end the process, or wait for ever, when they are refused memory, threads or descriptors; so there has
/// to be enough before work begins.
package enum SystemLimits {
  /// Throws `.systemLimit` where the process could not have what is asked for. Takes it and gives it back, because
  /// limits of the process, of the user and of a control group cannot be told otherwise.
  ///
  /// The defaults are what one model needs in a process that runs already.
  package static func check(megabytes: Int = 32, descriptors: Int = 4, threads: Int = 2) throws(GemmaError) {
    try checkDescriptors(descriptors)
    try checkAddressSpace(megabytes)
    let found = ck_startable_threads(threads, 0)
    guard found == threads else {
      throw .systemLimit("\(threads) threads are needed, \(found) can be started; raise `ulimit -u` or `ulimit -v`")
    }
  }

  private static func checkAddressSpace(_ megabytes: Int) throws(GemmaError) {
    let base = mmap(nil, megabytes << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard let base, base != MAP_FAILED else {
      throw .systemLimit("\(megabytes) MB of address space are needed and not to be had; raise `ulimit -v` or `-d`")
    }
    munmap(base, megabytes << 20)
  }

  private static func checkDescriptors(_ count: Int) throws(GemmaError) {
    var open: [Int32] = []
    defer { for descriptor in open { close(descriptor) } }
    while open.count < count {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else {
        throw .systemLimit("\(count) more files have to be opened, \(open.count) can be; raise `ulimit -n`")
      }
      open += ends
    }
  }
}
