import GemmaKernels

/// How keys and values are kept.
package enum KeyValueCacheType: String, Sendable, Hashable, CaseIterable {
  /// Rounded to bfloat16.
  case bf16
  /// 8 bits and one float32 scale per position and head: half the memory.
  case int8
}

/// How a forward pass is computed.
package struct ComputeOptions: Sendable, Hashable {
  /// Threads of the team, the caller included; at least 1.
  package var threads: Int
  /// Products with quantised weights take float32 activations in place of int8 ones, and caches hold float32 in
  /// place of bf16 unless `keyValueCache` says otherwise: the mode that is compared with the Python references.
  package var float32Activations: Bool
  /// nil: bf16, or float32 with `float32Activations`.
  package var keyValueCache: KeyValueCacheType?
  /// Never uses BLAS, whose sums depend on the number of rows.
  package var reproducible: Bool
  /// Largest number of tokens that go through the layers together; at least 1.
  package var prefillChunk: Int

  package init(
    threads: Int = Int(ck_processor_count()), float32Activations: Bool = false,
    keyValueCache: KeyValueCacheType? = nil, reproducible: Bool = false,
    prefillChunk: Int = 256
  ) {
    self.threads = threads
    self.float32Activations = float32Activations
    self.keyValueCache = keyValueCache
    self.reproducible = reproducible
    self.prefillChunk = prefillChunk
  }
}
