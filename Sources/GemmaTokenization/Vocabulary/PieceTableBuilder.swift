import GemmaRuntime

/// Fills the table of pieces and says what each id stands for.
struct PieceTableBuilder {
  /// The table so far.
  let table: PieceTable
  /// By id.
  let kinds: UnsafeMutableBufferPointer<PieceKind>
  private let spans: UnsafeMutableBufferPointer<PieceTable.Span>
  private let slots: UnsafeMutableBufferPointer<PieceTable.Slot>
  /// One value that keeps the reads of `touch` alive.
  private let touched: UnsafeMutableBufferPointer<UInt32>

  /// - Parameters:
  ///   - bytes: Where the pieces' bytes lie; eight more must be readable behind them.
  ///   - idCount: One more than the highest id.
  ///   - pieceCount: The most pieces that will be entered. A quarter of the slots or more stays free: 8 MB of them for
  ///     a real vocabulary.
  init(
    bytes: UnsafeBufferPointer<UInt8>, idCount: Int, pieceCount: Int, in arena: TableArena
  ) throws(TableArena.Exhausted) {
    var bits = 4
    while 3 << bits < 4 * pieceCount { bits += 1 }
    kinds = try arena.allocate(idCount)
    spans = try arena.allocate(idCount)
    slots = try arena.allocate(1 << bits)
    touched = try arena.allocate(1)
    table = PieceTable(bytes: bytes, spans: UnsafeBufferPointer(spans), slots: UnsafeBufferPointer(slots))
  }

  /// Enters a piece of at least one byte; false if it is there already, under any id.
  @inline(__always)
  func insert(_ entry: TokenizerFile.Entry, _ kind: PieceKind) -> Bool {
    guard let (key, base) = key(of: entry.span) else { return false }
    let slot = table.slot(of: key, base)
    guard slots[slot].length == 0 else { return false }
    let id = Int(entry.id)
    slots[slot] = PieceTable.Slot(value: key.value, length: key.length, token: TokenID(truncatingIfNeeded: id))
    spans[id] = entry.span
    kinds[id] = kind
    return true
  }

  /// Looks at the slot of a piece that will be entered soon.
  @inline(__always)
  func touch(_ span: PieceTable.Span) {
    if let (key, _) = key(of: span) { touched[0] ^= table.touch(key) }
  }

  @inline(__always)
  private func key(of span: PieceTable.Span) -> (PieceKey, UnsafePointer<UInt8>)? {
    guard let base = table.bytes.baseAddress else { return nil }
    let text = base + Int(span.start)
    return (PieceKey(padded: text, Int(span.length)), text)
  }
}
