public import Foundation
public import GemmaRuntime

extension MatFormerSlice {
  /// A row of a recipe file with the columns of Google's: `name`, `FFN Hidden Dims` and `Layers Skipped`, in any order
  /// among others. Widths are written for a full width of 16,384, as numbers or products such as `2_048 * 4`.
  /// - Parameters:
  ///   - file: A CSV file (RFC 4180).
  ///   - row: The value of `name`.
  /// - Throws: `.fileAccess`, `.malformedFile` naming the row, `.unsupportedSlice` where there is no such row.
  public init(contentsOf file: URL, row: String) throws(GemmaError) {
    let data: Data
    do { data = try Data(contentsOf: file) } catch {
      throw .fileAccess(file, reason: error.localizedDescription)
    }
    guard data.count <= 1 << 20, let text = String(data: data, encoding: .utf8) else {
      throw .malformedFile(file, reason: "expected at most 1 MiB of UTF-8 text")
    }
    var rows = Self.fields(text)[...]
    guard let header = rows.popFirst()?.map(Self.trimmed),
      let name = header.firstIndex(of: "name"), let dims = header.firstIndex(of: "FFN Hidden Dims"),
      let skipped = header.firstIndex(of: "Layers Skipped")
    else {
      throw .malformedFile(
        file, reason: "its first line needs the columns \"name\", \"FFN Hidden Dims\" and \"Layers Skipped\"")
    }
    let wanted = Self.trimmed(row)
    guard let found = rows.first(where: { $0.indices.contains(name) && Self.trimmed($0[name]) == wanted }) else {
      let names = rows.compactMap { $0.indices.contains(name) ? Self.trimmed($0[name]) : nil }
      throw .unsupportedSlice(
        name: row, layer: nil, reason: "\(file.lastPathComponent) has the rows \(names.joined(separator: ", "))")
    }
    guard found.count == header.count, let widths = Self.numbers(found[dims]), !widths.isEmpty,
      let skips = Self.numbers(found[skipped])
    else {
      throw .malformedFile(
        file, reason: "row \"\(row)\": expected lists such as [2_048 * 4, 2_048 * 8] and [20, 21, 22, 23, 24]")
    }
    self.init(name: wanted, widths: .shares(widths, unit: Self.recipeWidth), skippedLayers: skips)
  }

  /// "[2_048 * 4, 8192]" or nothing at all.
  private static func numbers(_ text: String) -> [Int]? {
    let inner = text.trimmingCharacters(in: CharacterSet(charactersIn: "[] \t"))
    if inner.isEmpty { return [] }
    var numbers: [Int] = []
    for entry in inner.split(separator: ",", omittingEmptySubsequences: false) {
      var product = 1
      for factor in entry.split(separator: "*", omittingEmptySubsequences: false) {
        guard let number = Int(trimmed(String(factor)).filter { $0 != "_" }), (0...1 << 24).contains(number) else {
          return nil
        }
        let (next, overflows) = product.multipliedReportingOverflow(by: number)
        guard !overflows, next <= 1 << 24 else { return nil }
        product = next
      }
      numbers.append(product)
    }
    return numbers
  }

  private static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

  /// Fields by row. Inside quotes, commas and line ends are text, and "" is a quote.
  private static func fields(_ text: String) -> [[String]] {
    var (rows, row, field): ([[String]], [String], String) = ([], [], "")
    var isQuoted = false
    var rest = text[...]
    while let character = rest.popFirst() {
      if isQuoted {
        if character != "\"" {
          field.append(character)
        } else if rest.first == "\"" {
          field.append(rest.removeFirst())
        } else {
          isQuoted = false
        }
      } else if character == "\"" {
        isQuoted = true
      } else if character == "," {
        row.append(field)
        field = ""
      } else if character.isNewline {
        rows.append(row + [field])
        (row, field) = ([], "")
      } else {
        field.append(character)
      }
    }
    if !field.isEmpty || !row.isEmpty { rows.append(row + [field]) }
    return rows.filter { $0 != [""] }
  }
}
