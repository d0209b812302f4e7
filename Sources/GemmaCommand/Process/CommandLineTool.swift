import Foundation
import Gemma

/// What scripts read from the process.
enum ExitCode: Int32 {
  case success = 0
  case failure = 1
  case cancelled = 2
  case usage = 64
  case inputMissing = 66
  case unsupported = 69

  init(_ error: GemmaError) {
    switch error {
    case .modelNotFound, .fileAccess: self = .inputMissing
    case .unsupportedModel, .unsuitableDrafter: self = .unsupported
    case .invalidOption, .invalidInput, .unsupportedSlice: self = .usage
    default: self = .failure
    }
  }
}

/// An outcome that is not an error of the library.
struct CommandFailure: Error {
  var code: ExitCode
  var message: String

  /// Nothing that was given is missing: it is the output that cannot be made.
  static func cannotWrite(_ destination: URL, _ reason: String) -> CommandFailure {
    CommandFailure(code: .failure, message: "Cannot write \(destination.path): \(reason)")
  }
}

/// Finds the command, runs it and turns errors into messages and exit codes.
enum CommandLineTool {
  static var commands: [any Command.Type] {
    [
      RunCommand.self, ScoreCommand.self, TokenizeCommand.self, InspectCommand.self, QuantizeCommand.self,
      SliceCommand.self, VerifyCommand.self, BenchCommand.self,
    ]
  }

  /// Runs what this process was started with.
  static func run() async -> ExitCode {
    var arguments: [String] = []
    for argument in CommandLine.unsafeArguments.dropFirst() {
      guard let text = String(validatingCString: argument) else {
        Console.error("gemma: argument \(arguments.count + 1) is no text in UTF-8; convert it first")
        return .usage
      }
      arguments.append(text)
    }
    return await run(arguments)
  }

  private static func run(_ arguments: [String]) async -> ExitCode {
    guard let name = arguments.first else {
      Console.error(Help.overview)
      return .usage
    }
    let rest = Array(arguments.dropFirst())
    if name == "--version" {
      Console.output("gemma \(GemmaVersion.current)\n")
      return .success
    }
    if ["help", "--help", "-h"].contains(name) { return help(rest.first) }
    guard let command = commands.first(where: { $0.name == name }) else {
      Console.error("Unknown command \"\(name)\".\n\n\(Help.overview)")
      return .usage
    }
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) { return help(name) }
    do {
      try await command.run(rest)
      return .success
    } catch is CancellationError {
      Console.error("Cancelled.")
      return .cancelled
    } catch let error as UsageError {
      Console.error("gemma \(name): \(error.message)\nUsage: \(command.usage)\nSee `gemma help \(name)`.")
      return .usage
    } catch let error as CommandFailure {
      Console.error("gemma \(name): \(error.message)")
      return error.code
    } catch let error as GemmaError {
      Console.error("gemma \(name): \(error.localizedDescription)")
      return ExitCode(error)
    } catch {
      Console.error("gemma \(name): \(error.localizedDescription)")
      return .failure
    }
  }

  private static func help(_ name: String?) -> ExitCode {
    guard let name else {
      Console.output(Help.overview + "\n")
      return .success
    }
    guard let command = commands.first(where: { $0.name == name }) else {
      Console.error("Unknown command \"\(name)\".\n\n\(Help.overview)")
      return .usage
    }
    Console.output(Help.text(for: command) + "\n")
    return .success
  }
}

extension CommandLine {
  /// The arguments as the system hands them over: `arguments` would repair what is not UTF-8.
  fileprivate static var unsafeArguments: [UnsafeMutablePointer<CChar>] {
    UnsafeBufferPointer(start: unsafeArgv, count: Int(argc)).compactMap { $0 }
  }
}
