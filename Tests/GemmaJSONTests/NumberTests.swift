import GemmaJSON
import Testing

@Suite("Numbers")
struct NumberTests {
  @Test(
    "a number is written as it was read, to the last digit",
    arguments: [
      "0", "-0", "1", "1.0", "1.00", "1e5", "1E5", "1e+05", "-1.50e-007", "18446744073709551615",
      "-9223372036854775809", "3.14159265358979323846264338327950288", "0.1", "1e-400",
      "123456789012345678901234567890",
    ])
  func text(_ text: String) throws {
    guard case .number(let number) = try JSONValue(text: text) else {
      Issue.record("\(text) is no number")
      return
    }
    #expect(number.text == text)
    #expect(JSONWriter.text(try JSONValue(text: "[\(text)]")) == "[\(text)]")
    #expect(number.double == Double(text))
    #expect(JSONNumber(text)?.text == text)
  }

  @Test("the integer view is for what is written as a whole number and fits into 64 bits")
  func integers() {
    func integer(_ text: String) -> Int? { JSONNumber(text)?.integer }
    #expect(integer("0") == 0 && integer("-0") == 0 && integer("-17") == -17)
    #expect(integer("9223372036854775807") == .max && integer("-9223372036854775808") == .min)
    for text in ["9223372036854775808", "-9223372036854775809", "1.0", "1e0", "1E2", "0.0"] {
      #expect(integer(text) == nil, "\(text)")
    }
  }

  @Test("only what is a number by RFC 8259, and no larger than a double, makes one")
  func refused() {
    let wrong = [
      "", " 1", "1 ", "+1", "01", "-", "1.", ".5", "1e", "0x10", "nan", "inf", "1,5", "1e999", "--1", "1e5e5", "١",
      String(repeating: "9", count: 400),
    ]
    for text in wrong { #expect(JSONNumber(text) == nil, "\(text)") }
    #expect(JSONNumber(Double.infinity) == nil && JSONNumber(Double.nan) == nil && JSONNumber(-Float.infinity) == nil)
    #expect(JSONNumber("1" + String(repeating: "0", count: 307)) != nil)
    #expect(refusal("1e999") == "the number 1e999 is too large")
  }

  @Test("numbers made of values read as these values")
  func values() {
    for value in [0, -0.0, 0.1, 1e22, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1 / 3, -123456789.125] {
      let number = JSONNumber(value)
      #expect(number?.double == value)
      #expect(number.flatMap { JSONNumber($0.text) } == number)
    }
    for value: Float in [0, 0.95, 1e-7, 16_777_216, .greatestFiniteMagnitude, .leastNonzeroMagnitude] {
      #expect(JSONNumber(value).flatMap { Float($0.text) } == value)
    }
    #expect(JSONNumber(Float(0.95))?.text == "0.95")
    #expect(JSONNumber(Int.min).integer == .min)
  }

  @Test("equal is what means the same")
  func equality() throws {
    let equal = [
      ["1", "1.0", "1.000", "10e-1", "0.1e1", "0.001E+3"], ["0", "-0", "0.0", "0e99", "-0e-99999999999999999999"],
      ["-250", "-2.5e2", "-25e1", "-250.0"], ["12345678901234567890123", "1.2345678901234567890123e22"],
    ]
    for texts in equal {
      let numbers = try texts.map { try #require(JSONNumber($0)) }
      #expect(Set(numbers).count == 1, "\(texts)")
    }
    let different = [
      "1", "-1", "2", "10", "0.1", "1.0000000000000000000001", "9007199254740993", "9007199254740992", "0",
    ]
    #expect(try Set(different.map { try #require(JSONNumber($0)) }).count == different.count)
  }
}
