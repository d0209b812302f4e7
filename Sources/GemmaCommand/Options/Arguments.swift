/// One option of a command.
struct OptionSpec {
  /// Without the dashes.
  var name: String
  var short: Character?
  /// How the value is called in help; nil for a switch.
  var value: String?
  var repeats = false
  var help: String

  init(_ name: String, short: Character? = nil, value: String? = nil, repeats: Bool = false, _ help: String) {
    self.name = name
    self.short = short
    self.value = value
    self.repeats = repeats
    self.help = help
  }

  var label: String {
    (short.map { "-\($0), " } ?? "    ") + "--\(name)" + (value.map { " \($0)" } ?? "")
  }
}

/// A command line that cannot be understood.
struct UsageError: Error {
  var message: String
  init(_ message: String) { self.message = message }
}

/// A command's arguments, taken apart.
struct Arguments {
  private(set) var positionals: [String] = []
  private var values: [String: [String]] = [:]

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

  func has(_ name: String) -> Bool { values[name] != nil }

  func string(_ name: String) -> String? { values[name]?.last }

  func strings(_ name: String) -> [String] { values[name] ?? [] }

  /// A whole number; its range is the library's to check.
  func integer(_ name: String) throws(UsageError) -> Int? {
    guard let text = string(name) else { return nil }
    guard let value = Int(text) else { throw UsageError("--\(name) needs a whole number, not \"\(text)\"") }
    return value
  }

  func number(_ name: String) throws(UsageError) -> Float? {
    guard let text = string(name) else { return nil }
    guard let value = Float(text), value.isFinite else { throw UsageError("--\(name) needs a number, not \"\(text)\"") }
    return value
  }

  /// A comma-separated list of whole numbers.
  func integers(_ name: String) throws(UsageError) -> [Int]? {
    guard let text = string(name) else { return nil }
    return try Self.integers(text, of: name)
  }

  static func integers(_ text: String, of name: String) throws(UsageError) -> [Int] {
    var numbers: [Int] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let number = Int(part.filter { $0 != " " }) else {
        throw UsageError("--\(name) needs whole numbers with commas between them, such as 2,5,9; found \"\(part)\"")
      }
      numbers.append(number)
    }
    return numbers
  }

  /// Bytes: a number with an optional KB, MB, GB (powers of 1000) or KiB, MiB, GiB.
  func bytes(_ name: String) throws(UsageError) -> Int? {
    guard let text = string(name) else { return nil }
    let units = [
      ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("kb", 1000), ("mb", 1_000_000), ("gb", 1_000_000_000),
      ("b", 1), ("", 1),
    ]
    let lower = text.lowercased()
    for (suffix, factor) in units where lower.hasSuffix(suffix) {
      guard let number = Double(lower.dropLast(suffix.count)), number >= 0, number * Double(factor) < 0x1p62 else {
        break
      }
      return Int(number * Double(factor))
    }
    throw UsageError("--\(name) needs a size such as 500MB or 2GiB, not \"\(text)\"")
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
