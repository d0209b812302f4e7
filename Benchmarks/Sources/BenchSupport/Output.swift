import Foundation

/// Figures go to stdout, everything else to stderr.
package enum Output {
  package static func line(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  package static func note(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  /// One line of comma-separated values; names of benchmarks hold no commas or quotes.
  package static func csv(_ fields: [String]) {
    line(fields.joined(separator: ","))
  }
}

extension Double {
  /// With `digits` digits behind the point.
  package func formatted(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
