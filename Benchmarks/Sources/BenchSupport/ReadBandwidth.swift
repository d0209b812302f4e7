import CProbe

/// How fast the machine reads memory far larger than its caches, with the kernels' own thread team. On a virtual machine
/// this moves from minute to minute, so it is measured beside what it is compared with.
package struct ReadBandwidth {
  /// Bytes per second from mapped file pages, and from anonymous ones: the fastest run of the fastest loop.
  package let mapped: Double
  package let anonymous: Double
  /// The median run of the fastest loop: what something that lasts longer than a run can be compared with.
  package let sustained: Double

  package var best: Double { max(mapped, anonymous) }

  /// - Parameter repetitions: Runs of each loop.
  package static func measure(mapped: Region, anonymous: Region, threads: Int, repetitions: Int = 3) -> ReadBandwidth {
    let mapped = read(mapped, threads, repetitions)
    let anonymous = read(anonymous, threads, repetitions)
    return ReadBandwidth(
      mapped: mapped.best, anonymous: anonymous.best, sustained: max(mapped.sustained, anonymous.sustained))
  }

  /// A plain loop and two with prefetches, over up to 256 blocks from all over the region.
  package static func read(
    _ region: Region, _ threads: Int, _ repetitions: Int
  ) -> (best: Double, sustained: Double) {
    let block = min(region.bytes, 1 << 20)
    let all = region.bytes / block
    let blocks = min(all, 256)
    var loops: [Times] = []
    Team.run(threads: threads) {
      for ahead in [0, 1024, 4096] {
        let runs = (0..<repetitions).map { _ in
          seconds {
            Team.forEach(blocks) { share in
              for index in share { use(probe_read(region.base + index * all / blocks * block, block, ahead)) }
            }
          }
        }
        loops.append(Times(runs))
      }
    }
    let bytes = Double(blocks * block)
    return (bytes / (loops.map(\.minimum).min() ?? .nan), bytes / (loops.map(\.median).min() ?? .nan))
  }
}

/// Takes a result, so that what computed it cannot be left out.
@inline(never) package func use(_ value: UInt64) {
  withExtendedLifetime(value) {}
}
