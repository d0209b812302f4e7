import Foundation
import GemmaRuntime

/// Bytes in and out of open files, without waiting forever: a cancelled task gives up on a pipe or terminal whose other
/// end does not move.
enum Descriptor {
  /// What went wrong, in words.
  struct Failure: Error {
    var reason: String
  }

  /// As much as a pipe takes without blocking once it is ready (PIPE_BUF on Linux).
  private static let block = 4096

  static func write(_ data: Data, to descriptor: Int32) throws {
    var rest = data[...]
    while !rest.isEmpty {
      try wait(descriptor, for: Int16(POLLOUT))
      let count = rest.prefix(block).withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno != EINTR, errno != EAGAIN { throw Failure(reason: SystemReason.text()) }
      rest = rest.dropFirst(max(count, 0))
    }
  }

  /// Everything up to the end, at most `limit` bytes.
  static func read(_ descriptor: Int32, limit: Int) throws -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      try wait(descriptor, for: Int16(POLLIN))
      let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
      if count == 0 { return data }
      if count < 0, errno != EINTR, errno != EAGAIN { throw Failure(reason: SystemReason.text()) }
      data.append(contentsOf: buffer.prefix(max(count, 0)))
      guard data.count <= limit else { throw Failure(reason: "it is longer than \(limit) bytes; give a shorter text") }
    }
  }

  private static func wait(_ descriptor: Int32, for events: Int16) throws {
    var entry = pollfd(fd: descriptor, events: events, revents: 0)
    while true {
      let ready = poll(&entry, 1, 50)
      if ready > 0 { return }
      if ready < 0, errno != EINTR { throw Failure(reason: SystemReason.text()) }
      try Task.checkCancellation()
    }
  }
}
