#if os(Linux)
  import Foundation

  /// What the kernel says about this process.
  package enum ProcessMemory {
    /// Bytes of a line of `/proc/self/status`, such as "RssAnon" or "RssFile"; nil where there is no such line.
    package static func status(_ name: String) throws -> Int? {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
  }
#endif
