import BenchSupport
import GemmaKernels

/// One kernel on one shape.
struct Case {
  /// What an operation is.
  enum Unit: String {
    case multiplyAdds = "MAC"
    case elements = "element"
  }

  /// The kernel's function without the prefix `ck_`.
  var kernel: String
  var shape: String
  /// Rows of activations, queries or ids.
  var rows: Int
  /// Bytes of weights, keys and values that one call reads from memory; 0 where all lies in the caches.
  var coldBytes = 0
  /// Operations of one call.
  var operations: Int
  var unit = Unit.elements
  /// Whether the operations are the 8-bit ones that the integer peak counts.
  var isInteger = false
  /// One call on the caller's team; the number of the call chooses the copy of the weights.
  var body: (Int) -> Void
}

/// What was measured.
struct Figure {
  var subject: Case
  var level: String
  var threads: Int
  var times: Times
  var limits: Limits

  var bytesPerSecond: Double? { subject.coldBytes > 0 ? Double(subject.coldBytes) / times.median : nil }
  var operationsPerSecond: Double { Double(subject.operations) / times.median }
  var shareOfBandwidth: Double? { bytesPerSecond.map { $0 / limits.reading.best } }
  var shareOfPeak: Double? { subject.isInteger ? operationsPerSecond / limits.integerPeak : nil }
}

/// Repeats a case.
struct Runner {
  var threads: Int
  var repetitions: Int
  /// A repetition lasts at least this long, by several calls if need be.
  private let leastSeconds = 0.004
  /// No further repetition begins after this.
  private let budgetSeconds = 1.0

  func times(_ subject: Case) -> Times {
    var samples: [Double] = []
    Team.run(threads: threads) {
      var call = 0
      func run(_ count: Int) -> Double {
        seconds {
          for _ in 0..<count {
            subject.body(call)
            call += 1
          }
        } / Double(count)
      }
      let warmUp = run(1)
      let calls = Int(min(max(leastSeconds / warmUp, 1), 10_000))
      var spent = warmUp
      repeat {
        samples.append(run(calls))
        spent += samples[samples.count - 1] * Double(calls)
      } while samples.count < repetitions && spent < budgetSeconds
    }
    return Times(samples)
  }
}
