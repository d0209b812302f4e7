import GemmaKernels
import GemmaWeights

/// Bytes that forward passes ask the memory for, counted where they are asked for.
///
/// A weight row counts once a pass, with its scales and biases and however many activation rows it meets; of tables the
/// rows that were gathered count, of sparse matrices the rows that were not skipped. Norm weights and activations are
/// left out. Not thread-safe: the thread that runs the passes counts.
package final class Traffic {
  /// Weights.
  package private(set) var weightBytes = 0
  /// Keys and values that some row of a pass attends to, once for all of its rows.
  package private(set) var cacheBytes = 0

  func read(rows: Int, of matrix: ck_matrix) { weightBytes += rows * ck_row_bytes(matrix) }

  func read(rows: Int, of matrix: ck_matrix, columns: Int) {
    weightBytes += rows * ck_columns_bytes(matrix, columns)
  }

  func readCache(_ bytes: Int) { cacheBytes += bytes }
}
