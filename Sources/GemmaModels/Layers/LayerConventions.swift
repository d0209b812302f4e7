/// Where architectures differ within equations that they share. Each states its own beside its stack.
struct LayerConventions: Sendable {
  /// Added to the weights of norms: 1 where they are stored as what they differ from 1.
  let normShift: Float
  /// Whether values are normalised, without weights, before they are cached.
  let normalizesValues: Bool
}
