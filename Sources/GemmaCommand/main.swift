import Foundation

Interrupts.catchSignals()
StandardStreams.prepare()
Means.require()
let signals = Interrupts.hold()
let work = Task { await CommandLineTool.run() }
Interrupts.cancel(work, on: signals)
exit(await work.value.rawValue)
