/// How an option is written and what help says about it.
struct OptionSpec {
  /// Without the dashes.
  var name: String
  var short: Character?
  /// How the value is called in help; nil for a switch.
  var value: String?
  var repeats = false
  var help: String

  var label: String {
    (short.map { "-\($0), " } ?? "    ") + "--\(name)" + (value.map { " \($0)" } ?? "")
  }
}

/// What a group of options declares.
protocol OptionDeclaration {
  var spec: OptionSpec { get }
}

/// An option with a value.
struct Option<Value>: OptionDeclaration {
  let spec: OptionSpec
  let value: OptionValue<Value>

  /// `label` is how help calls the value.
  init(_ name: String, short: Character? = nil, _ value: OptionValue<Value>, _ label: String, _ help: String) {
    spec = OptionSpec(name: name, short: short, value: label, help: help)
    self.value = value
  }
}

/// An option that may be given several times.
struct RepeatedOption<Value>: OptionDeclaration {
  let spec: OptionSpec
  let value: OptionValue<Value>

  init(_ name: String, _ value: OptionValue<Value>, _ label: String, _ help: String) {
    spec = OptionSpec(name: name, value: label, repeats: true, help: help)
    self.value = value
  }
}

/// An option without a value.
struct Flag: OptionDeclaration {
  let spec: OptionSpec

  init(_ name: String, short: Character? = nil, _ help: String) {
    spec = OptionSpec(name: name, short: short, help: help)
  }
}

/// Options that belong together: a stored property for each, or for a group of others. What is declared is what the
/// command line takes and help lists, in this order.
protocol OptionGroup {
  init()
}

extension OptionGroup {
  static var specs: [OptionSpec] {
    Mirror(reflecting: Self()).children.flatMap { property -> [OptionSpec] in
      if let group = property.value as? any OptionGroup { return type(of: group).specs }
      return (property.value as? any OptionDeclaration).map { [$0.spec] } ?? []
    }
  }
}
