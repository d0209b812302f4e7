import Foundation
import Gemma

/// What the text of an option has to be, and what becomes of it.
struct OptionValue<Value> {
  /// `option` is the option's name, for messages.
  let read: (_ text: String, _ option: String) throws -> Value
}

extension OptionValue where Value == String {
  static var text: OptionValue { OptionValue { text, _ in text } }
}

extension OptionValue where Value == Int {
  /// A whole number; its range is the library's to check.
  static var integer: OptionValue {
    OptionValue { text, option in
      guard let value = Int(text) else { throw UsageError("--\(option) needs a whole number, not \"\(text)\"") }
      return value
    }
  }

  /// Bytes: a number with an optional KB, MB, GB (powers of 1000) or KiB, MiB, GiB.
  static var size: OptionValue {
    OptionValue { text, option in
      let units = [
        ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("kb", 1000), ("mb", 1_000_000), ("gb", 1_000_000_000),
        ("b", 1), ("", 1),
      ]
      let lower = text.lowercased()
      for (suffix, factor) in units where lower.hasSuffix(suffix) {
        guard let number = Double(lower.dropLast(suffix.count)), number >= 0, number * Double(factor) < 0x1p62 else {
          break
        }
        return Int(number * Double(factor))
      }
      throw UsageError("--\(option) needs a size such as 500MB or 2GiB, not \"\(text)\"")
    }
  }
}

extension OptionValue where Value == UInt64 {
  static var natural: OptionValue {
    OptionValue { text, option in
      guard let value = UInt64(text) else {
        throw UsageError("--\(option) needs a whole number from 0, not \"\(text)\"")
      }
      return value
    }
  }
}

extension OptionValue where Value == Float {
  static var number: OptionValue {
    OptionValue { text, option in
      guard let value = Float(text), value.isFinite else {
        throw UsageError("--\(option) needs a number, not \"\(text)\"")
      }
      return value
    }
  }
}

extension OptionValue where Value == [Int] {
  /// Whole numbers with commas between them.
  static var integers: OptionValue {
    OptionValue { text, option in
      try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
        guard let number = Int(part.filter { $0 != " " }) else {
          throw UsageError("--\(option) needs whole numbers with commas between them, such as 2,5,9; found \"\(part)\"")
        }
        return number
      }
    }
  }
}

extension OptionValue where Value == [TokenID] {
  /// Whole numbers that can be tokens; which of them exist is the model's to say.
  static var tokens: OptionValue {
    OptionValue { text, option in
      try OptionValue<[Int]>.integers.read(text, option).map { number in
        guard let token = TokenID(exactly: number), token >= 0 else {
          throw UsageError("--\(option): \(number) is no token id")
        }
        return token
      }
    }
  }
}

extension OptionValue where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of the names of an enumeration.
  static var name: OptionValue {
    OptionValue { text, option in
      guard let value = Value(rawValue: text) else {
        let names = Value.allCases.map(\.rawValue).joined(separator: " or ")
        throw UsageError("--\(option) is \(names), not \"\(text)\"")
      }
      return value
    }
  }
}

extension OptionValue where Value == URL {
  /// The folder that a command is to make.
  static var newFolder: OptionValue {
    OptionValue { text, _ in
      guard !text.isEmpty else { throw UsageError("the new folder needs a name") }
      return URL(filePath: text)
    }
  }
}

extension OptionValue where Value == MatFormerSlice {
  /// A slice by name, or "recipes.csv:row" for a row of a recipe file.
  static var slice: OptionValue { OptionValue { text, _ in try MatFormerSlice(argument: text) } }
}

extension MatFormerSlice {
  /// As on a command line: a slice by name, or "recipes.csv:row" for a row of a recipe file.
  init(argument text: String) throws {
    guard let end = text.range(of: ".csv:", options: .caseInsensitive) else {
      if text.lowercased().hasSuffix(".csv") {
        throw UsageError("a recipe file needs the name of one of its rows: \(text):NAME")
      }
      try self.init(named: text)
      return
    }
    let file = URL(filePath: String(text[..<end.upperBound].dropLast()))
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw GemmaError.modelNotFound(file, reason: "there is no such recipe file")
    }
    try self.init(contentsOf: file, row: String(text[end.upperBound...]))
  }
}
