/// What an id stands for. Not an enum, because the value may come from a file: unknown ones are harmless.
struct PieceKind: Equatable, Sendable, BitwiseCopyable {
  let rawValue: UInt8

  /// No piece has this id.
  static let missing = PieceKind(rawValue: 0)
  static let text = PieceKind(rawValue: 1)
  /// One byte, spelt `<0x00>` to `<0xFF>`.
  static let byte = PieceKind(rawValue: 2)
  /// A mark of the model's own protocol, such as `<bos>` or `<end_of_turn>`: never made from text.
  static let control = PieceKind(rawValue: 3)
}
