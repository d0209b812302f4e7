package import Foundation
import GemmaJSON
public import GemmaRuntime

/// Turns text into token ids and back, by the `tokenizer.json` of a Gemma model.
///
/// Byte-pair encoding with byte fallback over Unicode scalars; a space is written U+2581. Added pieces (sequences of
/// newlines, HTML tags, control pieces) are cut out of the text first, the longest one at each position.
public final class GemmaTokenizer: Sendable {
  /// One more than the highest id.
  public let vocabularySize: Int
  /// The id of `<bos>`, which stands once in front of every prompt.
  public let beginOfSequence: TokenID

  let tables: TokenizerTables

  /// Where the tables come from.
  package enum Origin: Equatable {
    /// From `tokenizer.json`; there is a fault if they were to be cached and could not.
    case file(cacheFault: String?)
    case cache
  }

  package let origin: Origin

  /// Reads `tokenizer.json` in `folder`, or its tables from the cache.
  ///
  /// - Throws: `.modelNotFound` if there is none, `.fileAccess` if it cannot be read, `.malformedFile` if it is damaged,
  ///   `.unsupportedModel` if it is of another kind than Gemma's. The cache is no cause of errors.
  package convenience init(contentsOf folder: URL, cache: TokenizerCache = .standard) throws(GemmaError) {
    try self.init(contentsOf: folder, cache: cache, cachingFrom: TokenizerCache.smallestFile)
  }

  /// - Parameter smallest: Size in bytes from which on a file is cached.
  package convenience init(contentsOf folder: URL, cache: TokenizerCache, cachingFrom smallest: Int) throws(GemmaError)
  {
    let url = folder.appendingPathComponent("tokenizer.json")
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw .modelNotFound(folder, reason: "it holds no tokenizer.json")
    }
    let file = try MappedFile(url)
    defer { withExtendedLifetime(file) {} }
    guard file.bytes.count >= smallest, let place = cache.folder(for: folder) else {
      self.init(try Self.tables(of: file), .file(cacheFault: nil))
      return
    }
    let cached = TokenizerCacheFile(in: place, for: file.bytes)
    if let tables = cached.load() {
      self.init(tables, .cache)
      return
    }
    let tables = try Self.tables(of: file)
    do {
      try cached.store(tables)
      self.init(tables, .file(cacheFault: nil))
    } catch {
      self.init(tables, .file(cacheFault: "\(error)"))
    }
  }

  private static func tables(of file: MappedFile) throws(GemmaError) -> TokenizerTables {
    do {
      return try TokenizerLoader.tables(of: file.bytes)
    } catch let fault as JSONFault {
      throw .malformedFile(file.url, reason: "\(fault.reason) (at byte \(fault.offset))")
    } catch let setting as TokenizerFile.Unsupported {
      throw .unsupportedModel("\(file.url.path): \(setting.reason)")
    } catch let exhausted as TableArena.Exhausted {
      throw .fileAccess(file.url, reason: "the system has no \(exhausted.byteCount) bytes of memory for its tables")
    } catch {
      throw .fileAccess(file.url, reason: "\(error)")
    }
  }

  private init(_ tables: TokenizerTables, _ origin: Origin) {
    self.tables = tables
    self.origin = origin
    vocabularySize = tables.kinds.count
    beginOfSequence = tables.beginOfSequence
  }

  /// The text of one piece as the vocabulary spells it (spaces as U+2581, bytes as `<0x0A>`); nil outside the vocabulary.
  public func piece(of token: TokenID) -> String? {
    kind(of: token) == .missing ? nil : tables.pieces.text(of: token)
  }

  /// The id of a piece, spelt as the vocabulary does.
  public func token(of piece: String) -> TokenID? { tables.pieces.find(piece) }

  @inline(__always)
  func kind(of token: TokenID) -> PieceKind {
    token >= 0 && Int(token) < tables.kinds.count ? tables.kinds[Int(token)] : .missing
  }
}
