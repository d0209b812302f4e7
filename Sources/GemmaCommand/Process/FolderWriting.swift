import Foundation
import Gemma
import Synchronization

/// Writes a new model folder with a progress line; an interrupted one leaves nothing behind.
enum FolderWriting {
  /// `verb` is what the line says; `write` gets where to report the share that is done, and whether to stop.
  static func run<Summary>(
    _ verb: String, to destination: URL, _ arguments: Arguments,
    _ write: (_ progress: (Double) -> Void, _ shouldStop: () -> Bool) throws -> Summary
  ) throws -> Summary {
    Interrupts.hasFiles.store(true, ordering: .relaxed)
    let line = ProgressLine(arguments)
    defer { line.clear() }
    do {
      return try write({ line.show("\(verb): \(Int($0 * 100)) %") }, { Task.isCancelled })
    } catch GemmaError.fileAccess(destination, let reason) {
      throw CommandFailure.cannotWrite(destination, reason)
    }
  }
}
