import GemmaRuntime
import GemmaWeights

/// The activations of one chunk of tokens, side by side in one pool buffer.
///
/// Every region is a float32 matrix [chunk rows, columns]; a narrower layer uses the front of its region with rows of
/// its own width.
final class Workspace {
  enum Region: Int, CaseIterable {
    /// The residual stream; Gemma 3n has four. Equal in size and adjacent, so that AltUp can stride over them.
    case stream0, stream1, stream2, stream3
    /// AltUp's prediction of the four streams.
    case predicted0, predicted1, predicted2, predicted3
    case normed, mixed, branch, residual
    case query, key, value, attended
    case gate, up
    /// Indices of the gates that were not cut, or of a drafter's pieces, and copies of the weight rows they select.
    case selection, selectedWeights
    /// What a drafter takes from its target: a token's embedding and a hidden state, side by side.
    case pair
    /// A drafter's scores of the clusters, and of all pieces where it looks only at those of the best clusters.
    case clusters, scores
    case perLayer, perLayerGate
    case lowRank, router, coefficients
    case rotary
    case logits
    case activationValues, activationScales, activationSums
    /// The same for what the gated unit leaves to the product behind it, for a few rows.
    case gatedValues, gatedScales, gatedSums
  }

  /// Bytes between two rows of int8 activations: a line of the cache, so that rows of 2^n bytes do not share its sets.
  static let activationGap = 64

  /// Rows of the regions.
  let chunk: Int
  private let buffer: PoolBuffer
  private let offsets: [Int]

  /// For a model, or for a drafter whose layers `configuration` describes.
  init(
    _ configuration: ModelConfiguration, drafter: DrafterConfiguration? = nil, chunk: Int, contextLength: Int
  ) throws(GemmaError) {
    var offsets: [Int] = []
    var count = 0
    for size in Self.sizes(configuration, drafter, chunk: chunk, contextLength: contextLength) {
      offsets.append(count)
      count += size
    }
    self.chunk = chunk
    self.offsets = offsets
    buffer = try PoolBuffer(byteCount: count * MemoryLayout<Float>.size)
  }

  /// Bytes of the buffer that `init` takes.
  static func byteCount(
    _ configuration: ModelConfiguration, drafter: DrafterConfiguration? = nil, chunk: Int, contextLength: Int
  ) -> Int {
    let sizes = sizes(configuration, drafter, chunk: chunk, contextLength: contextLength)
    return BufferPool.rounded(sizes.reduce(0, +) * MemoryLayout<Float>.size)
  }

  var heldBytes: Int { BufferPool.rounded(buffer.byteCount) }

  func base(_ region: Region) -> UnsafeMutablePointer<Float> { buffer.floats + offsets[region.rawValue] }

  /// Floats of a region that another one follows.
  func count(_ region: Region) -> Int { offsets[region.rawValue + 1] - offsets[region.rawValue] }

  /// Floats from one stream to the next.
  var streamStride: Int { count(.stream0) }

  /// Floats per region in the order of `Region`, each a whole number of cache lines.
  private static func sizes(
    _ configuration: ModelConfiguration, _ drafter: DrafterConfiguration?, chunk: Int, contextLength: Int
  ) -> [Int] {
    Region.allCases.map { region in
      let (rows, columns) = shape(region, configuration, drafter, chunk)
      let states = region == .gate ? SplitAttention.stateFloats(configuration, contextLength: contextLength) : 0
      return (max(rows * columns, states) + 15) / 16 * 16
    }
  }

  private static func shape(
    _ region: Region, _ model: ModelConfiguration, _ drafter: DrafterConfiguration?, _ chunk: Int
  ) -> (Int, Int) {
    let hidden = model.hiddenSize
    let altUp = model.architecture == .gemma3n
    let sparse = model.layers.contains { $0.activationSparsity > 0 }
    let queryWidth = model.layers.map { $0.headDimension * model.headCount }.max() ?? 0
    let keyWidth = model.layers.map { $0.headDimension * $0.keyValueHeads }.max() ?? 0
    let feedForward = model.layers.map(\.feedForwardWidth).max() ?? 0
    let perLayerWidth = model.layers.count * model.perLayerInputSize
    let pairWidth = 2 * (drafter?.backboneHiddenSize ?? 0)
    let widestInput = max(hidden, queryWidth, feedForward, model.perLayerInputSize, model.laurelRank, pairWidth)
    let selected = drafter?.clusteredHead?.selectedPieces ?? (sparse ? feedForward : 0)
    switch region {
    case .stream0: return (chunk, hidden)
    case .stream1, .stream2, .stream3, .predicted0, .predicted1, .predicted2, .predicted3, .branch, .residual:
      return (altUp ? chunk : 0, hidden)
    case .normed, .mixed: return (chunk, hidden)
    case .query, .attended: return (chunk, queryWidth)
    case .key, .value: return (chunk, keyWidth)
    // The gate's region also takes the projection of all per-layer inputs, before the first layer runs, and what
    // `SplitAttention` leaves while attention runs.
    case .gate: return (chunk, max(feedForward, perLayerWidth))
    case .up: return (chunk, feedForward)
    case .pair: return (chunk, pairWidth)
    case .clusters: return (chunk, drafter?.clusteredHead?.clusterCount ?? 0)
    case .scores: return (drafter?.clusteredHead == nil ? 0 : 1, model.vocabularySize)
    case .selection: return (1, selected)
    case .selectedWeights:
      let columns = drafter == nil ? SelectedRows.quantizedColumns(hidden: hidden) : hidden
      return (selected > 0 ? SelectedRows.slots * SelectedRows.panelRows : 0, columns)
    case .perLayer: return (chunk, perLayerWidth)
    case .perLayerGate: return (chunk, model.perLayerInputSize)
    case .lowRank: return (altUp ? chunk : 0, model.laurelRank)
    case .router: return (altUp ? chunk : 0, 4)
    case .coefficients: return (altUp ? chunk : 0, 16)
    case .rotary: return (chunk, RotaryTable.columns(model))
    case .logits:
      return (min(chunk, DraftedRound.mostTokens), drafter?.clusteredHead?.selectedPieces ?? model.vocabularySize)
    case .activationValues: return (chunk, (widestInput + activationGap + 3) / 4)  // int8
    case .gatedValues: return (DraftedRound.mostTokens, (feedForward + activationGap + 3) / 4)
    case .gatedScales, .gatedSums: return (DraftedRound.mostTokens, (feedForward + 31) / 32)
    case .activationScales, .activationSums: return (chunk, (widestInput + 31) / 32)  // groups of 32 or more
    }
  }
}

/// Consecutive float32 rows inside the workspace.
struct Rows {
  let base: UnsafeMutablePointer<Float>
  let stride: Int

  func row(_ index: Int) -> UnsafeMutablePointer<Float> { base + index * stride }
}
