package import Foundation
public import Tensors

/// Turns text into token ids and back, by the `tokenizer.json` of a Gemma model.
///
/// Byte-pair encoding with byte fallback over Unicode scalars; a space is written U+2581. Added pieces (newline runs,
/// HTML tags, control pieces) are cut out of the text first, the longest one at each position.
public final class GemmaTokenizer: Sendable {
  /// One more than the highest id.
  public let vocabularySize: Int
  /// The id of `<bos>`, which stands once in front of every prompt.
  public let beginOfSequence: TokenID

  let pieces: PieceTable
  let kinds: [PieceKind]
  let merges: MergeTable
  /// Entry b: a marked space behind a byte b may merge with what is in front of it.
  let joinsSpace: [Bool]
  /// Added pieces with and without the control pieces.
  let allAdded: AddedPieceTrie
  let plainAdded: AddedPieceTrie
  /// The id of each byte's piece.
  let byteTokens: [TokenID]
  /// The id of each ASCII character; its byte's id if it is no piece by itself.
  let asciiTokens: [TokenID]
  let spaceToken: TokenID

  /// Reads `tokenizer.json` in `folder`.
  ///
  /// - Throws: `.modelNotFound` if there is none, `.fileAccess` if it cannot be read, `.malformedFile` if it is damaged,
  ///   `.unsupportedModel` if it is of another kind than Gemma's.
  package convenience init(contentsOf folder: URL) throws(GemmaError) {
    let url = folder.appendingPathComponent("tokenizer.json")
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw .modelNotFound(folder, reason: "it holds no tokenizer.json")
    }
    let file = try MappedFile(url)
    defer { withExtendedLifetime(file) {} }
    let loader: TokenizerLoader
    do {
      loader = try TokenizerLoader(file.bytes)
    } catch {
      switch error {
      case .malformed(let fault): throw .malformedFile(url, reason: "\(fault.reason) (at byte \(fault.offset))")
      case .unsupported(let setting): throw .unsupportedModel("\(url.path): \(setting.reason)")
      }
    }
    self.init(loader)
  }

  init(_ parts: TokenizerLoader) {
    vocabularySize = parts.kinds.count
    beginOfSequence = parts.beginOfSequence
    pieces = parts.pieces
    kinds = parts.kinds
    merges = parts.merges
    joinsSpace = parts.joinsSpace
    allAdded = parts.allAdded
    plainAdded = parts.plainAdded
    byteTokens = parts.byteTokens
    asciiTokens = parts.asciiTokens
    spaceToken = parts.spaceToken
  }

  /// The text of one piece as the vocabulary spells it (spaces as U+2581, bytes as `<0x0A>`); nil outside the vocabulary.
  public func piece(of token: TokenID) -> String? {
    kind(of: token) == .missing ? nil : pieces.text(of: token)
  }

  /// The id of a piece, spelt as the vocabulary does.
  public func token(of piece: String) -> TokenID? { pieces.find(piece) }

  @inline(__always)
  func kind(of token: TokenID) -> PieceKind {
    token >= 0 && Int(token) < kinds.count ? kinds[Int(token)] : .missing
  }
}
