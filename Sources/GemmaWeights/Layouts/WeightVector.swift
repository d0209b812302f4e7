package import GemmaKernels
package import GemmaRuntime

/// A weight vector as it lies in a mapped checkpoint.
/// Sendable although it holds a pointer: it leads into a read-only mapping that `file` keeps alive.
package struct WeightVector: @unchecked Sendable {
  package let raw: ck_vector
  package let count: Int
  package let name: String
  package let file: MappedFile
}
