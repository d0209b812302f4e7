/// What `gemma help` prints.
enum Help {
  static var overview: String {
    let width = CommandLineTool.commands.map { $0.name.count }.max() ?? 0
    let list = CommandLineTool.commands.map { command in
      "  gemma " + command.name.padded(to: width) + "  " + command.abstract
    }
    return """
      gemma runs Gemma 3, 3n and 4 on the CPU.

      \(list.joined(separator: "\n"))

      A model is a folder (config.json, tokenizer.json, safetensors), or one of the bundled `demo` (Gemma 3n) and
      `demo4` (Gemma 4).
      `gemma help COMMAND` explains a command, `gemma --version` tells the version. Try: gemma run demo "Once upon a time"
      """
  }

  static func text(for command: any Command.Type) -> String {
    """
    \(command.abstract)

    Usage: \(command.usage)
    \(command.remarks.isEmpty ? "" : command.remarks + "\n")
    Options:
    \(list(command.optionSpecs))

    Shared options:
    \(list(command.sharedOptionSpecs))

    Examples:
    \(command.examples.map { "  " + $0 }.joined(separator: "\n"))
    """
  }

  private static func list(_ options: [OptionSpec]) -> String {
    let width = options.map(\.label.count).max() ?? 0
    let indent = "\n" + String(repeating: " ", count: width + 4)
    return options.map { option in
      "  " + option.label.padded(to: width) + "  "
        + lines(option.help, atMost: columns - width - 4).joined(separator: indent)
    }
    .joined(separator: "\n")
  }

  private static let columns = 120

  private static func lines(_ text: String, atMost width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

extension String {
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
