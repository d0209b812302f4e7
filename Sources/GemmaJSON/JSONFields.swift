package import Foundation
package import GemmaRuntime

/// One object of a JSON file with typed access to its fields: each error names the file, the key, what was expected
/// and what was found.
package struct JSONFields: Sendable {
  package let url: URL
  package let path: String  // of this object within the file, "" for the outermost, else "text_config."
  package let members: JSONObject

  package init(file url: URL) throws(GemmaError) {
    let file = try MappedFile(url)
    do throws(JSONFault) {
      guard case .object(let members) = try JSONValue(parsing: file.bytes) else {
        throw JSONFault(offset: 0, reason: "expected an object")
      }
      self.init(url: url, path: "", members: members)
    } catch {
      throw .malformedFile(url, reason: "\(error.reason) (byte \(error.offset))")
    }
  }

  package init(url: URL, path: String, members: JSONObject) {
    self.url = url
    self.path = path
    self.members = members
  }

  package func error(_ key: String, _ reason: String) -> GemmaError {
    .malformedFile(url, reason: "key \"\(path)\(key)\": \(reason)")
  }

  package func mismatch(_ key: String, expected: String) -> GemmaError {
    let found = members[key].map { "found \($0.description)" } ?? "but it is missing"
    return error(key, "expected \(expected), \(found)")
  }

  /// The field, with null taken for an absent one.
  package subscript(key: String) -> JSONValue? {
    members[key].flatMap { $0 == .null ? nil : $0 }
  }

  package func has(_ key: String) -> Bool { self[key] != nil }

  package func object(_ key: String) throws(GemmaError) -> JSONFields? {
    guard let value = self[key] else { return nil }
    guard case .object(let members) = value else { throw mismatch(key, expected: "an object") }
    return JSONFields(url: url, path: path + key + ".", members: members)
  }

  package func integer(_ key: String, in range: ClosedRange<Int>, default absent: Int? = nil) throws(GemmaError) -> Int
  {
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard let value = self[key] else {
      guard let absent else { throw mismatch(key, expected: expected) }
      return absent
    }
    guard let integer = value.integer, range.contains(integer) else { throw mismatch(key, expected: expected) }
    return integer
  }

  package func number(_ key: String, default absent: Double? = nil) throws(GemmaError) -> Double {
    switch self[key] {
    case .number(let value)?: return value.double
    case nil:
      guard let absent else { throw mismatch(key, expected: "a number") }
      return absent
    default: throw mismatch(key, expected: "a number")
    }
  }

  /// A number above zero and at most `limit`.
  package func positive(_ key: String, upTo limit: Double, default absent: Double? = nil) throws(GemmaError) -> Double {
    let value = try number(key, default: absent)
    guard value > 0, value <= limit else { throw mismatch(key, expected: "a number above 0 and at most \(limit)") }
    return value
  }

  package func boolean(_ key: String, default absent: Bool) throws(GemmaError) -> Bool {
    switch self[key] {
    case .boolean(let value)?: return value
    case nil: return absent
    default: throw mismatch(key, expected: "true or false")
    }
  }

  package func string(_ key: String) throws(GemmaError) -> String? {
    switch self[key] {
    case .string(let value)?: return value
    case nil: return nil
    default: throw mismatch(key, expected: "a string")
    }
  }

  package func list(_ key: String) throws(GemmaError) -> [JSONValue]? {
    switch self[key] {
    case .array(let values)?: return values
    case nil: return nil
    default: throw mismatch(key, expected: "a list")
    }
  }
}
