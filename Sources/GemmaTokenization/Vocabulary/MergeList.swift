import GemmaJSON
import GemmaRuntime

/// The list of merges of a `tokenizer.json`, which is most of the file: its two halves are read at once.
struct MergeList {
  let table: MergeTable
  /// Entry b is not 0: some merge joins a piece whose last byte is b to one that starts with a marked space.
  let joinsSpace: UnsafeBufferPointer<UInt8>

  /// A list shorter than this is not worth a second thread.
  private static let divisibleSize = 1 << 20
  /// How far behind the middle a place to divide is looked for.
  private static let searchLength = 4096

  /// - Parameter scratch: Room for all strings of the list and eight bytes more.
  init(
    _ scanner: inout JSONScanner, _ pieces: PieceTableBuilder, scratch: UnsafeMutablePointer<UInt8>,
    in arena: TableArena
  ) throws {
    try scanner.open("[")
    let readers = try Self.read(scanner, pieces, scratch: scratch)
    if let last = readers.last { scanner = last.scanner }
    table = try MergeTable(readers, in: arena)
    joinsSpace = try arena.copy((0..<256).map { byte in readers.contains { $0.joinsSpace[byte] } ? 1 : 0 })
  }

  /// Reads from behind the bracket to the end of the list.
  ///
  /// Where an element ends cannot be told from the middle of a file: the place is guessed, and the second half counts
  /// only if the first one ends exactly there. So neither the result nor the faults depend on the threads.
  private static func read(
    _ scanner: JSONScanner, _ pieces: PieceTableBuilder, scratch: UnsafeMutablePointer<UInt8>
  ) throws -> [MergeReader] {
    var whole = MergeReader(scanner, atStart: true, pieces, scratch: scratch)
    guard let division = division(of: scanner) else {
      try whole.read(until: .max)
      return [whole]
    }
    var second = scanner
    second.position = division
    let secondScratch = UnsafeMutablePointer<UInt8>.allocate(capacity: scanner.count - division + 8)
    defer { secondScratch.deallocate() }
    var halves = [whole, MergeReader(second, atStart: false, pieces, scratch: secondScratch)]
    var faults: [JSONFault?] = [nil, nil]
    try readAtOnce(&halves, until: [division, .max], &faults)
    if let fault = faults[0] { throw fault }
    if halves[0].isAtEnd { return [halves[0]] }
    if halves[0].scanner.position == division {
      if let fault = faults[1] { throw fault }
      return halves
    }
    try halves[0].read(until: .max)
    return [halves[0]]
  }

  private static func readAtOnce(
    _ readers: inout [MergeReader], until stops: [Int], _ faults: inout [JSONFault?]
  ) throws {
    try readers.withUnsafeMutableBufferPointer { readers in
      try faults.withUnsafeMutableBufferPointer { faults in
        try Parallel.team(threads: readers.count) {
          Parallel.forEach(readers.count) { range in
            for index in range {
              do throws(JSONFault) {
                try readers[index].read(until: stops[index])
              } catch {
                faults[index] = error
              }
            }
          }
        }
      }
    }
  }

  /// The comma behind some element near the middle, if the bytes are what they look like.
  private static func division(of scanner: JSONScanner) -> Int? {
    guard scanner.count - scanner.position >= divisibleSize else { return nil }
    var start = scanner
    // Elements are either lists, `],[` between them, or strings.
    let (closing, opening): (UInt8, UInt8) = start.peek() == 0x5B ? (0x5D, 0x5B) : (0x22, 0x22)
    let middle = scanner.position + (scanner.count - scanner.position) / 2
    var probe = scanner
    for position in middle..<min(middle + searchLength, scanner.count) where scanner.bytes[position] == closing {
      probe.position = position + 1
      guard probe.peek() == 0x2C else { continue }
      let comma = probe.position
      probe.position += 1
      if probe.peek() == opening { return comma }
    }
    return nil
  }
}
