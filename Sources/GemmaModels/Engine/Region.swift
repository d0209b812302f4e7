extension Workspace {
  /// The names of a workspace's regions: what parts of a model hand to each other, and what they keep to themselves.
  /// How large a region is, each part says where it uses it (`Layout.reserve`).
  enum Region: Int, CaseIterable {
    /// The residual stream, or several: adjacent, so that one can stride over them.
    case stream0, stream1, stream2, stream3
    /// What the streams are predicted to be, adjacent as well.
    case predicted0, predicted1, predicted2, predicted3
    case normed, mixed, branch, residual
    case query, key, value, attended
    case gate, up
    /// Indices of selected weight rows, and copies of these rows.
    case selection, selectedWeights
    /// A token's embedding and a hidden state, side by side.
    case pair
    /// Scores of clusters of pieces, and of pieces of which some are not looked at.
    case clusters, scores
    case perLayer, perLayerGate
    case lowRank, router, coefficients
    case rotary
    case logits
    case activationValues, activationScales, activationSums
    /// The same for what the gated unit leaves to the product behind it, for a few rows.
    case gatedValues, gatedScales, gatedSums
  }
}
