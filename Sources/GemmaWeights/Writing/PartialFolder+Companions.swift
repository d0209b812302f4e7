import Foundation
import GemmaJSON
import GemmaRuntime

extension PartialFolder {
  func write(config: JSONObject) throws(GemmaError) {
    try write(Data((JSONWriter.text(.object(config.sorted), indent: 1) + "\n").utf8), to: "config.json")
  }

  /// Copies tokenizer, chat template and generation settings: everything small that a loader may look for.
  func copyCompanions(of source: URL) throws(GemmaError) {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: source.path)
    } catch {
      throw .fileAccess(source, reason: "the folder cannot be listed; check its permissions")
    }
    let companions = names.filter { name in
      name.hasPrefix("tokenizer") || name.hasSuffix(".jinja")
        || [
          "generation_config.json", "special_tokens_map.json", "added_tokens.json", "chat_template.json",
          "preprocessor_config.json", "processor_config.json",
        ].contains(name)
    }
    for companion in companions.sorted().map(source.appendingPathComponent) where !companion.hasDirectoryPath {
      let file = try MappedFile(companion)
      // The mapping must outlive the copy, and nothing else here holds it.
      let content = withExtendedLifetime(file) { Data(file.bytes) }
      try write(content, to: companion.lastPathComponent)
    }
  }

  private func write(_ data: Data, to name: String) throws(GemmaError) {
    let file = try file(name)
    try file.write(data, at: 0)
    try file.synchronize()
  }
}
