/// A command line that cannot be understood.
struct UsageError: Error {
  var message: String
  init(_ message: String) { self.message = message }
}

/// A command's arguments, taken apart; what the values mean is not asked yet.
struct ParsedArguments {
  private(set) var positionals: [String] = []
  /// By the option's name; one empty text for a switch.
  private(set) var values: [String: [String]] = [:]

  /// Takes `--name value`, `--name=value`, `-n value`, `-nvalue`; `--` ends the options and a lone `-` is a positional.
  /// `instead` says of names that are no options here what to do.
  init(_ arguments: [String], options: [OptionSpec], instead: [String: String] = [:]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        positionals += rest
        break
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        positionals.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let isLong = argument.hasPrefix("--")
      let name = isLong ? String(parts[0].dropFirst(2)) : String(argument.dropFirst())
      let attached = isLong ? "" : String(name.dropFirst())
      let found = options.first { spec in
        isLong ? spec.name == name : spec.short == name.first && (attached.isEmpty || spec.value != nil)
      }
      guard let spec = found else {
        let advice = instead[name].map { ": \($0)" } ?? Self.suggestion(name, options)
        throw UsageError(
          "unknown option \(isLong ? parts[0] : argument)"
            + (advice.isEmpty ? "; text that begins with a dash goes behind --" : advice))
      }
      guard spec.repeats || values[spec.name] == nil else {
        throw UsageError("--\(spec.name) is given twice")
      }
      let inline = isLong ? (parts.count == 2 ? parts[1] : nil) : attached.isEmpty ? nil : attached
      guard let label = spec.value else {
        guard inline == nil else { throw UsageError("--\(spec.name) takes no value") }
        values[spec.name] = [""]
        continue
      }
      guard let value = inline ?? rest.popFirst() else { throw UsageError("--\(spec.name) needs a value: \(label)") }
      values[spec.name, default: []].append(value)
    }
  }

  private static func suggestion(_ name: String, _ options: [OptionSpec]) -> String {
    let nearest = options.map { ($0.name, distance(name, $0.name)) }.min { $0.1 < $1.1 }
    guard let nearest, nearest.1 <= max(2, nearest.0.count / 3) else { return "" }
    return "; did you mean --\(nearest.0)?"
  }

  /// Insertions, deletions and replacements between two names.
  private static func distance(_ first: String, _ second: String) -> Int {
    let second = Array(second)
    var row = Array(0...second.count)
    for (i, character) in first.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for j in second.indices {
        let replaced = diagonal + (second[j] == character ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
      }
    }
    return row[second.count]
  }
}
