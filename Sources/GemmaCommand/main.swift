import Foundation

StandardStreams.prepare()
let work = Task { await CommandLineTool.run() }
let interrupts = Interrupts.cancelling(work)
let code = await work.value
interrupts.forEach { $0.cancel() }
exit(code.rawValue)
