import GemmaKernels
import GemmaRuntime
import GemmaWeights

extension Products {
  /// Bytes between two rows of int8 activations: a line of the cache, so that rows of 2^n bytes do not share its sets.
  fileprivate static let rowGap = 64

  /// How a matrix wants its activations.
  enum ActivationLayout: Equatable {
    case float32
    case int8(group: Int, order: ck_order)

    init(_ matrix: ck_matrix, quantizes: Bool) {
      let group = ck_activation_group(matrix)
      self = quantizes && group > 0 ? .int8(group: group, order: ck_format_of(matrix.type).pointee.order) : .float32
    }
  }

  /// Where quantised activations lie.
  struct ActivationRegions {
    let values, scales, sums: Workspace.Region

    /// What the product at hand reads.
    static let input = ActivationRegions(
      values: .activationValues, scales: .activationScales, sums: .activationSums)
    /// What a gated unit leaves to the product behind it.
    static let gated = ActivationRegions(values: .gatedValues, scales: .gatedScales, sums: .gatedSums)
  }

  /// Quantises `count` rows of x; nil where the matrix takes float32.
  func prepare(_ layout: ActivationLayout, _ x: Rows, columns: Int, count: Int) -> ck_activations? {
    guard let activations = activations(layout, in: .input, columns: columns) else { return nil }
    Parallel.forEach(count, unless: stop) {
      ck_quantize_activations(activations, x.base, x.stride, $0.lowerBound, $0.upperBound)
    }
    return activations
  }

  /// Activations in regions that were reserved by `reserveActivations`; nil for float32.
  func activations(_ layout: ActivationLayout, in regions: ActivationRegions, columns: Int) -> ck_activations? {
    guard case .int8(let group, let order) = layout else { return nil }
    return ck_activations(
      values: UnsafeMutableRawPointer(workspace.base(regions.values)).assumingMemoryBound(to: Int8.self),
      scales: workspace.base(regions.scales), sums: workspace.base(regions.sums), columns: columns,
      stride: columns + Self.rowGap, group: group, order: order)
  }
}

extension Workspace.Layout {
  /// Room for what products make of inputs of so many columns.
  mutating func reserveActivations(
    in regions: Products.ActivationRegions = .input, rows: Rows = .chunk, columns: Int
  ) {
    let groups = (columns + 31) / 32  // of 32 or more
    reserve(regions.values, rows: rows, columns: (columns + Products.rowGap + 3) / 4)  // int8
    reserve(regions.scales, rows: rows, columns: groups)
    reserve(regions.sums, rows: rows, columns: groups)
  }
}
