import Dispatch
import Foundation

// Ctrl-C cancels the work, so that files are tidied up and the exit code is 2; a second one ends at once.
signal(SIGINT, SIG_IGN)
let work = Task { await CommandLineTool.run(Array(CommandLine.arguments.dropFirst())) }
let interrupts = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
interrupts.setEventHandler {
  if work.isCancelled { _exit(ExitCode.cancelled.rawValue) }
  work.cancel()
}
interrupts.resume()
let code = await work.value
exit(code.rawValue)
