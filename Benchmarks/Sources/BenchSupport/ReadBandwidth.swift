import CProbe

/// How fast the machine reads memory far larger than its caches, with the kernels' own thread team. On a virtual machine
/// this moves from minute to minute, so it is measured beside what it is compared with.
package struct ReadBandwidth {
  /// Bytes per second from mapped file pages, and from anonymous ones.
  package let mapped: Double
  package let anonymous: Double

  package var best: Double { max(mapped, anonymous) }

  /// - Parameter repetitions: Runs of each loop, of which the best counts.
  package static func measure(mapped: Region, anonymous: Region, threads: Int, repetitions: Int = 3) -> ReadBandwidth {
    ReadBandwidth(
      mapped: fastest(mapped, threads, repetitions), anonymous: fastest(anonymous, threads, repetitions))
  }

  /// The best of a plain loop and of two with prefetches.
  private static func fastest(_ region: Region, _ threads: Int, _ repetitions: Int) -> Double {
    let block = 1 << 20
    let blocks = min(region.bytes, 256 << 20) / block
    var fastest = Double.infinity
    Team.run(threads: threads) {
      for ahead in [0, 1024, 4096] {
        for _ in 0..<repetitions {
          let time = seconds {
            Team.forEach(blocks) { share in
              let start = region.base + share.lowerBound * block
              use(probe_read(start, share.count * block, ahead))
            }
          }
          fastest = min(fastest, time)
        }
      }
    }
    return Double(blocks * block) / fastest
  }
}

/// Takes a result, so that what computed it cannot be left out.
@inline(never) package func use(_ value: UInt64) {
  withExtendedLifetime(value) {}
}
