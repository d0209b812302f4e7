import GemmaRuntime

/// Everything a tokenizer looks up, built from its file or mapped from the cache.
struct TokenizerTables: Sendable {
  /// Keeps the memory of all tables alive.
  let owner: any AnyObject & Sendable

  let pieces: PieceTable
  // Sendable although pointers: nobody writes to tables that are built, and the owner keeps them alive.
  /// By id.
  nonisolated(unsafe) let kinds: UnsafeBufferPointer<PieceKind>
  let merges: MergeTable
  /// Entry b is not 0: a marked space behind a byte b may merge with what is in front of it.
  nonisolated(unsafe) let joinsSpace: UnsafeBufferPointer<UInt8>
  /// Added pieces with and without the control pieces.
  let allAdded: AddedPieceTrie
  let plainAdded: AddedPieceTrie
  /// The id of each byte's piece.
  nonisolated(unsafe) let byteTokens: UnsafeBufferPointer<TokenID>
  /// The id of each ASCII character; its byte's id if it is no piece by itself.
  nonisolated(unsafe) let asciiTokens: UnsafeBufferPointer<TokenID>
  let spaceToken: TokenID
  let beginOfSequence: TokenID
}
