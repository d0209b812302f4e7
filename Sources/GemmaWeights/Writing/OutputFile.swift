import Foundation
import GemmaRuntime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A new file, written at any offset. Every error is a `.fileAccess` of the folder that is being made.
final class OutputFile {
  private let descriptor: Int32
  private let destination: URL

  init(_ url: URL, for destination: URL) throws(GemmaError) {
    self.destination = destination
    descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw PartialFolder.failure(destination) }
  }

  deinit { close(descriptor) }

  func write(_ bytes: some ContiguousBytes, at offset: Int) throws(GemmaError) {
    do {
      try bytes.withUnsafeBytes { bytes in
        var done = 0
        while done < bytes.count {
          let count = pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
          if count < 0, errno != EINTR { throw PartialFolder.failure(destination) }
          done += max(count, 0)
        }
      }
    } catch let error as GemmaError {
      throw error
    } catch {  // `withUnsafeBytes` rethrows without a type
      throw .fileAccess(destination, reason: error.localizedDescription)
    }
  }

  /// Waits until the bytes are on the disk; a write that failed late is reported here.
  func synchronize() throws(GemmaError) {
    guard fsync(descriptor) == 0 else { throw PartialFolder.failure(destination) }
  }
}
