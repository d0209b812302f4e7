import Foundation
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

@Suite struct PermissionTests {
  private func refusal(_ folder: URL) -> GemmaError? {
    do throws(GemmaError) {
      _ = try Checkpoint(at: folder)
      return nil
    } catch {
      return error
    }
  }

  @Test("a folder without permission says so, and not that config.json is missing")
  func permission() throws {
    try Fixtures.withTemporaryFolder { folder in
      let closed = folder.appending(path: "closed")
      try FileManager.default.copyItem(at: Fixtures.model("gemma3-bf16"), to: closed)
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: closed.path)
      defer { chmod(closed.path, 0o700) }
      guard case .fileAccess(let url, let reason)? = asNobody({ refusal(closed) }) else {
        Issue.record("the folder opened, or failed otherwise")
        return
      }
      #expect(url.path.hasPrefix(closed.path) && reason.contains("permission"), "\(reason)")
    }
  }

  @Test("a config.json that cannot be reached is an error of its own")
  func circle() throws {
    try Fixtures.withTemporaryFolder { folder in
      let config = folder.appending(path: "config.json")
      guard case .modelNotFound? = refusal(folder) else {
        Issue.record("an empty folder opened, or failed otherwise")
        return
      }
      try FileManager.default.createSymbolicLink(at: config, withDestinationURL: config)
      guard case .fileAccess(_, let reason)? = refusal(folder) else {
        Issue.record("a link to itself opened, or failed otherwise")
        return
      }
      #expect(reason.contains("circle"), "\(reason)")
    }
  }

  /// Root may open anything: on Linux the thread's rights to files can be another user's for a moment.
  private func asNobody<Result>(_ body: () -> Result) -> Result {
    #if os(Linux)
      typealias Change = @convention(c) (uid_t) -> Int32
      if getuid() == 0, let symbol = dlsym(nil, "setfsuid") {
        let change = unsafeBitCast(symbol, to: Change.self)
        _ = change(65534)
        defer { _ = change(0) }
        return body()
      }
    #endif
    return body()
  }
}
