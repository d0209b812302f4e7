import GemmaKernels
public import GemmaRuntime

/// The kernel levels of this processor. All of them give the same bits; they differ in speed.
public enum Kernels {
  /// The levels this processor can run, the slowest first.
  public static var available: [String] {
    (0..<ck_level_count()).compactMap { ck_level_name($0).map { String(cString: $0) } }
  }

  /// The level in use: the fastest, or the one named by the environment variable `GEMMA_KERNELS`.
  public static var current: String { String(cString: ck_level_current()) }

  /// Switches the whole process to a level.
  public static func select(_ name: String) throws(GemmaError) {
    guard ck_level_select(name) else {
      throw .invalidOption(
        "kernels \"\(name)\" do not exist here; this processor has \(available.joined(separator: ", "))")
    }
  }
}
