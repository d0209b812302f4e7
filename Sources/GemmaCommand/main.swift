import Foundation

StandardStreams.prepare()
let signals = Interrupts.hold()
let work = Task { await CommandLineTool.run() }
Interrupts.cancel(work, on: signals)
exit(await work.value.rawValue)
