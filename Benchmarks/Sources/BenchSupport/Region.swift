package import Foundation

/// Memory far larger than the caches, from which cold weights are taken. Lives as long as the process.
///
/// Each 16-bit word is a sensible bfloat16 (1/128 to 1/32, either sign), so that any part may serve as codes, scales or
/// keys.
package struct Region {
  package let base: UnsafeMutableRawPointer
  package let bytes: Int

  /// Anonymous memory, or a file of the temporary directory that is already unlinked: pages like those of weights.
  package init(bytes: Int, mapped: Bool) throws {
    var descriptor: Int32 = -1
    if mapped {
      var path = Array(FileManager.default.temporaryDirectory.appending(path: "gemma-bench.XXXXXX").path.utf8CString)
      descriptor = mkstemp(&path)
      guard descriptor >= 0 else { throw Self.failure("make a file in the temporary directory; TMPDIR names another") }
      unlink(path)
      guard ftruncate(descriptor, off_t(bytes)) == 0 else { throw Self.failure("make a file of \(bytes) bytes") }
    }
    let flags = mapped ? MAP_SHARED : MAP_PRIVATE | anonymousFlag
    let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0)
    guard let memory, memory != MAP_FAILED else { throw Self.failure("map \(bytes) bytes") }
    let words = memory.bindMemory(to: UInt64.self, capacity: bytes / 8)
    var random = Random()
    for index in 0..<bytes / 8 {
      words[index] = random.next() & 0x80FF_80FF_80FF_80FF | 0x3C00_3C00_3C00_3C00
    }
    if mapped {
      // Written back now, not in the middle of a measurement.
      guard fsync(descriptor) == 0 else { throw Self.failure("write the mapped file") }
      close(descriptor)
    }
    base = memory
    self.bytes = bytes
  }

  /// The largest file of a model's weights as it lies in the system's page cache, to be read only. Its pages may lie less
  /// well than those of a new file, and no product can be faster than they are.
  package init(weightsOf folder: URL) throws {
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
    let sizes = try files.filter { $0.pathExtension == "safetensors" }
      .map { (path: $0.path, bytes: try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
    guard let largest = sizes.max(by: { $0.bytes < $1.bytes }), largest.bytes > 0 else {
      throw UsageError("\(folder.path) holds no weights, *.safetensors")
    }
    try self.init(contentsOf: largest.path)
  }

  /// A file as it lies in the system's page cache, to be read only.
  package init(contentsOf path: String) throws {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw Self.failure("open \(path)") }
    defer { close(descriptor) }
    let size = lseek(descriptor, 0, SEEK_END)
    guard size > 0 else { throw Self.failure("map \(path), which is empty") }
    guard let memory = mmap(nil, Int(size), PROT_READ, MAP_SHARED, descriptor, 0), memory != MAP_FAILED else {
      throw Self.failure("map \(path)")
    }
    base = memory
    bytes = Int(size)
  }

  private static func failure(_ what: String) -> UsageError {
    UsageError("cannot \(what): \(String(cString: strerror(errno)))")
  }
}

#if canImport(Darwin)
  private let anonymousFlag = MAP_ANON
#else
  private let anonymousFlag = MAP_ANONYMOUS
#endif

/// The same numbers in every run (Marsaglia's xorshift with 64 bits and the shifts 13, 7, 17).
package struct Random {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  package init() {}

  package mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  /// `count` numbers from -1 to 1, in memory that lives as long as the process.
  package mutating func floats(_ count: Int) -> UnsafeMutablePointer<Float> {
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: count)
    for index in 0..<count { memory[index] = Float(Int32(truncatingIfNeeded: next() >> 32)) * 0x1p-31 }
    return memory
  }
}
