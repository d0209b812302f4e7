import Foundation

let work = Task { await CommandLineTool.run(Array(CommandLine.arguments.dropFirst())) }
let interrupts = Interrupts.cancelling(work)
let code = await work.value
interrupts.cancel()
exit(code.rawValue)
