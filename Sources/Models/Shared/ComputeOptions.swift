import CKernels

/// How a forward pass is computed.
package struct ComputeOptions: Sendable, Hashable {
  /// Threads of the team, the caller included; at least 1.
  package var threads: Int
  /// Products with quantised weights take float32 activations in place of int8 ones, and caches hold float32 in
  /// place of bf16: the mode that is compared with the Python references.
  package var float32Activations: Bool
  /// Never uses BLAS, whose sums depend on the number of rows.
  package var reproducible: Bool
  /// Largest number of tokens that go through the layers together; at least 1.
  package var prefillChunk: Int

  package init(
    threads: Int = Int(ck_processor_count()), float32Activations: Bool = false, reproducible: Bool = false,
    prefillChunk: Int = 256
  ) {
    self.threads = threads
    self.float32Activations = float32Activations
    self.reproducible = reproducible
    self.prefillChunk = prefillChunk
  }
}

/// The bytes that one timeline takes from the buffer pool, whole pages included.
package struct ContextPlan: Sendable, Hashable {
  /// Key/value caches of all owning layers.
  package var keyValueBytes: Int
  /// Activations of one chunk.
  package var workspaceBytes: Int
}
