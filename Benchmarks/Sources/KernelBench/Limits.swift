import BenchSupport
import CProbe

/// What this machine can do at best, measured with the threads of the kernels and minutes or less away from them: on a
/// virtual machine both limits move.
struct Limits {
  var reading: ReadBandwidth
  /// 8-bit multiply-adds per second of a level's dot-product instructions on registers.
  var integerPeak: Double

  static func measure(level: String, threads: Int, mapped: Region, anonymous: Region) -> Limits {
    Limits(
      reading: .measure(mapped: mapped, anonymous: anonymous, threads: threads), integerPeak: peak(level, threads))
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
            for _ in share { use(UInt64(probe_peak(level, rounds))) }
          }
        }
        fastest = min(fastest, time)
      }
    }
    return Double(shares * probe_peak(level, rounds)) / fastest
  }
}
