import Gemma

/// The options of commands that draft.
struct DraftingOptions: OptionGroup {
  let drafter = DrafterChoice.option
  let speculation = Option(
    "speculation", .speculation, "off|auto|N",
    "drafts in each pass, 1 to 8, or as many as pay; never changes the text (default: auto, in bench off unless "
      + "--drafter is given)")
}

extension OptionValue where Value == GenerationOptions.Speculation {
  static var speculation: OptionValue {
    OptionValue { text, option in
      switch text {
      case "off": return .off
      case "auto": return .automatic
      default:
        guard let count = Int(text), (1...GenerationOptions.Speculation.longestDraft).contains(count) else {
          throw UsageError(
            "--\(option) is off, auto or 1 to \(GenerationOptions.Speculation.longestDraft), not \"\(text)\"")
        }
        return .draft(tokens: count)
      }
    }
  }
}
