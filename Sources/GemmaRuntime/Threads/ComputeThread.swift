import Foundation
import GemmaKernels
import Synchronization

/// A serial executor with one operating-system thread of its own.
///
/// OpenMP keeps a team of threads per calling thread, and a decode loop would hold a thread of the cooperative pool
/// for minutes: so all compute runs here.
package final class ComputeThread: SerialExecutor {
  package static let shared = ComputeThread()

  private let condition = NSCondition()
  private let jobs = Mutex<[UnownedJob]>([])
  private let isStarted = Mutex(false)

  /// Called before there is anything to compute; without it jobs would wait for ever.
  package func start() throws(GemmaError) {
    let works = isStarted.withLock { isStarted in
      if !isStarted {
        let stack = 16 << 20  // kernels keep their tiles on the stack
        isStarted = ck_thread_start("gemma.compute", stack, { _ in ComputeThread.shared.work() }, nil)
      }
      return isStarted
    }
    guard works else { throw .systemLimit("the thread for computing was refused; raise `ulimit -u` or `ulimit -v`") }
  }

  /// Whether other work waits for the thread while it runs a job.
  package var isAwaited: Bool { jobs.withLock { !$0.isEmpty } }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.lock()
    jobs.withLock { $0.append(job) }
    condition.signal()
    condition.unlock()
  }

  private func work() {
    while true {
      condition.lock()
      while !isAwaited { condition.wait() }
      let job = jobs.withLock { $0.removeFirst() }
      condition.unlock()
      job.runSynchronously(on: asUnownedSerialExecutor())
    }
  }
}
