import GemmaRuntime

extension Workspace {
  /// How large the regions must be: what the parts of a model reserve, each beside the code that uses it. A region that
  /// several reserve is as large as the largest of them needs it.
  struct Layout: Sendable {
    /// Rows of a region.
    enum Rows: Sendable, Hashable {
      /// One for each token of a chunk.
      case chunk
      /// One for each token of a chunk, but at most `Workspace.logitRows`.
      case logits
      case exactly(Int)
      /// One for each so many positions of the context, or a part of them.
      case positions(Int)
    }

    /// By region: the most columns for each kind of rows.
    private var columns = [[Rows: Int]](repeating: [:], count: Region.allCases.count)

    /// Each of the regions gets room for so many rows of so many columns.
    mutating func reserve(_ regions: Region..., rows: Rows = .chunk, columns count: Int) {
      for region in regions {
        columns[region.rawValue][rows] = max(columns[region.rawValue][rows] ?? 0, count)
      }
    }

    /// The first float of each region, in their order, and behind the last one the number of all floats. Regions are
    /// whole cache lines.
    func offsets(chunk: Int, contextLength: Int) -> [Int] {
      columns.reduce(into: [0]) { offsets, reserved in
        let floats = reserved.map { rows, columns in
          switch rows {
          case .chunk: chunk * columns
          case .logits: min(chunk, logitRows) * columns
          case .exactly(let count): count * columns
          case .positions(let step): (contextLength + step - 1) / step * columns
          }
        }
        offsets.append(offsets[offsets.count - 1] + ((floats.max() ?? 0) + 15) / 16 * 16)
      }
    }

    /// Bytes that a workspace takes from the pool.
    func byteCount(chunk: Int, contextLength: Int) -> Int {
      let floats = offsets(chunk: chunk, contextLength: contextLength).last ?? 0
      return BufferPool.rounded(floats * MemoryLayout<Float>.size)
    }
  }
}
