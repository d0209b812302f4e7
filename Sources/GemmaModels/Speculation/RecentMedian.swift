/// The median of the latest values: one that another process made large does not count.
struct RecentMedian {
  private static let length = 9
  private var values: [Double] = []
  private var next = 0
  private(set) var value: Double?
  /// How many values it is of.
  var count: Int { values.count }

  mutating func add(_ new: Double) {
    if values.count < Self.length {
      values.append(new)
    } else {
      values[next] = new
      next = (next + 1) % Self.length
    }
    value = values.sorted()[(values.count - 1) / 2]
  }
}
