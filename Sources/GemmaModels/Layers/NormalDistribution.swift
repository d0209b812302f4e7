import Foundation

package enum NormalDistribution {
  /// The value below which a standard normal variable stays with probability p, 0 < p < 1; exact to float64 rounding
  /// away from the far tails.
  ///
  /// A first guess from the tail approximation t - (c0 + c1 t) / (1 + d1 t + d2 t²), t = sqrt(-2 ln p)
  /// (Abramowitz and Stegun 26.2.22), then Newton steps on Φ(x) = erfc(-x / sqrt 2) / 2.
  package static func quantile(_ p: Double) -> Double {
    guard p > 0, p < 1 else { return p <= 0 ? -Double.infinity : .infinity }
    let t = (-2 * log(min(p, 1 - p))).squareRoot()
    let tail = t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t)
    var x = p < 0.5 ? -tail : tail
    for _ in 0..<4 {
      let error = 0.5 * erfc(-x / 2.0.squareRoot()) - p
      let density = exp(-x * x / 2) / (2 * Double.pi).squareRoot()
      guard density > 0 else { break }
      x -= error / density
    }
    return x
  }
}
