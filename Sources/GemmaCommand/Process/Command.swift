/// One verb of the command line.
protocol Command {
  static var name: String { get }
  /// One line for the overview.
  static var abstract: String { get }
  static var usage: String { get }
  /// What the usage leaves open; empty where it says all.
  static var remarks: String { get }
  /// Command lines that work as they stand, given the files they name.
  static var examples: [String] { get }
  /// The options beside the shared ones.
  associatedtype Options: OptionGroup
  /// Shared options that mean nothing here, with what to do instead.
  static var insteadOfShared: [PartialKeyPath<SharedOptions>: String] { get }
  static func run(_ arguments: Arguments<Options>) async throws
}

extension Command {
  static var remarks: String { "" }
  static var insteadOfShared: [PartialKeyPath<SharedOptions>: String] { [:] }

  static var optionSpecs: [OptionSpec] { Options.specs }
  static var sharedOptionSpecs: [OptionSpec] {
    let absent = adviceByName
    return SharedOptions.specs.filter { absent[$0.name] == nil }
  }

  static func run(_ arguments: [String]) async throws {
    try await run(
      Arguments(ParsedArguments(arguments, options: optionSpecs + sharedOptionSpecs, instead: adviceByName)))
  }

  private static var adviceByName: [String: String] {
    let shared = SharedOptions()
    return Dictionary(
      uniqueKeysWithValues: insteadOfShared.compactMap { path, advice in
        (shared[keyPath: path] as? any OptionDeclaration).map { ($0.spec.name, advice) }
      })
  }
}
