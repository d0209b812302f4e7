/// The arguments of a command that takes these options. An option is asked for by its property, as `arguments[\.seed]`:
/// only what the command takes can be asked for. A value is read when it is asked for.
struct Arguments<Options: OptionGroup> {
  private let options = Options()
  private let parsed: ParsedArguments

  init(_ parsed: ParsedArguments) { self.parsed = parsed }

  /// The options that every command takes.
  var shared: Arguments<SharedOptions> { Arguments<SharedOptions>(parsed) }

  subscript<Group: OptionGroup>(group: KeyPath<Options, Group>) -> Arguments<Group> { Arguments<Group>(parsed) }

  subscript(flag: KeyPath<Options, Flag>) -> Bool { isGiven(flag) }

  /// Nil where the option is not given.
  subscript<Value>(option: KeyPath<Options, Option<Value>>) -> Value? {
    get throws {
      let option = options[keyPath: option]
      return try parsed.values[option.spec.name]?.last.map { try option.value.read($0, option.spec.name) }
    }
  }

  /// In the order of the command line.
  subscript<Value>(option: KeyPath<Options, RepeatedOption<Value>>) -> [Value] {
    get throws {
      let option = options[keyPath: option]
      return try (parsed.values[option.spec.name] ?? []).map { try option.value.read($0, option.spec.name) }
    }
  }

  func isGiven(_ option: KeyPath<Options, some OptionDeclaration>) -> Bool {
    parsed.values[options[keyPath: option].spec.name] != nil
  }

  var positionals: [String] { parsed.positionals }

  /// The positional argument at an index, or an error that says what is missing.
  func positional(_ index: Int, _ what: String) throws(UsageError) -> String {
    guard positionals.indices.contains(index) else { throw UsageError("\(what) is missing") }
    return positionals[index]
  }

  func expectPositionals(atMost count: Int) throws(UsageError) {
    guard positionals.count <= count else {
      throw UsageError("unexpected argument \"\(positionals[count])\"; put text with spaces in quotes")
    }
  }
}
