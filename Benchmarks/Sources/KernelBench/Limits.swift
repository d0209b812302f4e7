import BenchSupport
import CKernels
import CProbe

/// What this machine can do at best, measured with the threads of the kernels and minutes or less away from them: on a
/// virtual machine both limits move.
struct Limits {
  /// Bytes per second read from memory far larger than the caches: mapped file pages, and anonymous ones.
  var mapped: Double
  var anonymous: Double
  /// 8-bit multiply-adds per second of a level's dot-product instructions on registers.
  var integerPeak: Double

  var readBandwidth: Double { max(mapped, anonymous) }

  static func measure(level: String, threads: Int, mapped: Region, anonymous: Region) -> Limits {
    Limits(
      mapped: readBandwidth(mapped, threads), anonymous: readBandwidth(anonymous, threads),
      integerPeak: peak(level, threads))
  }

  /// The best of a plain loop and of one with prefetches, three times each.
  private static func readBandwidth(_ region: Region, _ threads: Int) -> Double {
    let block = 1 << 20
    let blocks = min(region.bytes, 256 << 20) / block
    var fastest = Double.infinity
    Team.run(threads: threads) {
      for ahead in [0, 1024, 4096] {
        for _ in 0..<3 {
          let time = seconds {
            Team.forEach(blocks) { share in
              let start = region.base + share.lowerBound * block
              sink(probe_read(start, share.count * block, ahead))
            }
          }
          fastest = min(fastest, time)
        }
      }
    }
    return Double(blocks * block) / fastest
  }

  /// The best of five runs of a few milliseconds.
  private static func peak(_ level: String, _ threads: Int) -> Double {
    let shares = threads * 8
    let rounds = 50_000
    var fastest = Double.infinity
    Team.run(threads: threads) {
      for _ in 0..<5 {
        let time = seconds {
          Team.forEach(shares) { share in
            for _ in share { sink(UInt64(probe_peak(level, rounds))) }
          }
        }
        fastest = min(fastest, time)
      }
    }
    return Double(shares * probe_peak(level, rounds)) / fastest
  }

  /// Uses a result, so that what computed it cannot be left out.
  @inline(never) private static func sink(_ value: UInt64) {
    withExtendedLifetime(value) {}
  }
}
