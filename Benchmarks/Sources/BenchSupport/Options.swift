/// One option of a benchmark.
package struct OptionSpec: Sendable {
  package var name: String
  /// How the value is called in help; nil for a switch.
  package var value: String?
  package var help: String

  package init(_ name: String, value: String? = nil, _ help: String) {
    self.name = name
    self.value = value
    self.help = help
  }
}

/// A command line that cannot be understood, or a wish this machine cannot fulfil.
package struct UsageError: Error {
  package var message: String
  package init(_ message: String) { self.message = message }
}

/// `--name value` and positional arguments, as all benchmarks take them.
package struct Options: Sendable {
  package private(set) var positionals: [String] = []
  private var values: [String: String] = [:]

  package init(_ arguments: some Collection<String>, specs: [OptionSpec]) throws(UsageError) {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--") else {
        positionals.append(argument)
        continue
      }
      let name = String(argument.dropFirst(2))
      guard let spec = specs.first(where: { $0.name == name }) else {
        throw UsageError("unknown option \(argument); --help lists them")
      }
      guard let label = spec.value else {
        values[name] = ""
        continue
      }
      guard let value = rest.popFirst() else { throw UsageError("\(argument) needs a value: \(label)") }
      values[name] = value
    }
  }

  package func has(_ name: String) -> Bool { values[name] != nil }

  package func string(_ name: String) -> String? { values[name] }

  /// A comma-separated list of whole numbers within `range`.
  package func integers(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> [Int]? {
    guard let text = values[name] else { return nil }
    var numbers: [Int] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let number = Int(part), range.contains(number) else {
        throw UsageError(
          "--\(name) needs whole numbers from \(range.lowerBound) to \(range.upperBound), not \"\(part)\"")
      }
      numbers.append(number)
    }
    return numbers
  }

  package func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let numbers = try integers(name, in: range) else { return nil }
    guard numbers.count == 1 else { throw UsageError("--\(name) takes one number") }
    return numbers[0]
  }
}

/// The frame of a benchmark's `main`: help, and errors as one line with an exit code.
package enum Tool {
  package static func help(_ usage: String, _ about: String, _ specs: [OptionSpec]) -> String {
    let labels = specs.map { "--\($0.name)" + ($0.value.map { " \($0)" } ?? "") }
    let width = labels.map(\.count).max() ?? 0
    let lines = zip(labels, specs).map { label, spec in
      "  " + label + String(repeating: " ", count: width - label.count + 2) + spec.help
    }
    return "\(about)\n\nUsage: \(usage)\n\nOptions:\n\(lines.joined(separator: "\n"))\n"
  }

  /// Says what went wrong and returns the exit code: 64 for a wrong command line, else 1.
  package static func report(_ error: any Error) -> Int32 {
    guard let usage = error as? UsageError else {
      Output.note("error: \(error)")
      return 1
    }
    Output.note("error: \(usage.message)")
    return 64
  }
}
