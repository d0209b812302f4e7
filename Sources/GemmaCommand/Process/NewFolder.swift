import Foundation
import Gemma
import Synchronization

/// The model folder that a command makes.
enum NewFolder {
  static var option: Option<URL> {
    Option("output", short: "o", .newFolder, "FOLDER", "the new folder; must not exist")
  }

  static func required(_ folder: URL?) throws(UsageError) -> URL {
    guard let folder else { throw UsageError("the new folder is missing: -o FOLDER") }
    return folder
  }

  /// Writes it with a progress line; an interrupted one leaves nothing behind. `verb` is what the line says; `body`
  /// gets where to report the share that is done, and whether to stop.
  static func write<Summary>(
    _ verb: String, to destination: URL, _ shared: Arguments<SharedOptions>,
    _ body: (_ progress: (Double) -> Void, _ shouldStop: () -> Bool) throws -> Summary
  ) throws -> Summary {
    Interrupts.hasFiles.store(true, ordering: .relaxed)
    let line = ProgressLine(shared)
    defer { line.clear() }
    do {
      return try body({ line.show("\(verb): \(Int($0 * 100)) %") }, { Task.isCancelled })
    } catch GemmaError.fileAccess(destination, let reason) {
      throw CommandFailure.cannotWrite(destination, reason)
    }
  }
}
