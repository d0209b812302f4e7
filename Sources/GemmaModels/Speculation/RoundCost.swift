/// What a round costs more than a plain step, in seconds: fixed + slope * drafts, by least squares over the latest rounds.
struct RoundCost {
  /// Weight of what was known at each new round.
  private static let memory = 0.9
  /// Weight of the presumption that nothing is fixed, in rounds: it decides while all rounds had one length.
  private static let presumption = 0.5
  /// A round that took so many times what was expected, as when another process had the cores, counts as so much.
  private static let largestSurprise = 2.0
  /// The cost of a draft before any is known, as a fraction of a plain step.
  private static let presumedFraction = 0.15

  private var weight = 0.0
  private var drafts = 0.0
  private var squares = 0.0
  private var seconds = 0.0
  private var products = 0.0

  /// Notes a round of so many drafts that took so many seconds more than a plain step.
  mutating func add(drafts count: Int, seconds new: Double) {
    let g = Double(count)
    let value = weight > 2 ? min(new, Self.largestSurprise * fit(g)) : new
    weight = weight * Self.memory + 1
    drafts = drafts * Self.memory + g
    squares = squares * Self.memory + g * g
    seconds = seconds * Self.memory + value
    products = products * Self.memory + g * value
  }

  /// Expected seconds beyond a plain step.
  func excess(drafts count: Int, plain: Double) -> Double {
    weight > 0 ? fit(Double(count)) : Self.presumedFraction * plain * Double(count)
  }

  private func fit(_ g: Double) -> Double {
    // (weight + presumption) fixed + drafts slope = seconds;  drafts fixed + squares slope = products.
    let determinant = (weight + Self.presumption) * squares - drafts * drafts
    let fixed = (seconds * squares - drafts * products) / determinant
    let slope = ((weight + Self.presumption) * products - drafts * seconds) / determinant
    if fixed < 0 { return max(0, products / squares) * g }
    return slope < 0 ? max(0, seconds / weight) : fixed + slope * g
  }
}
