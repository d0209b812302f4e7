import GemmaJSON

extension JSONValue {
  /// Of a text in memory.
  init(text: String) throws(JSONFault) { try self.init(bytes: Array(text.utf8)) }

  init(bytes: [UInt8]) throws(JSONFault) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(JSONFault) in try JSONValue(parsing: bytes) }
    }
    self = try result.get()
  }

  /// Members of an object; empty for everything else.
  var members: JSONObject { if case .object(let object) = self { object } else { JSONObject() } }
}

/// Why a text is refused when it is read; nil where it is not.
func refusal(_ text: String) -> String? { refusal(Array(text.utf8)) }

func refusal(_ bytes: [UInt8]) -> String? {
  do throws(JSONFault) {
    _ = try JSONValue(bytes: bytes)
    return nil
  } catch {
    return error.reason
  }
}

/// Why a text is refused when it is stepped over; nil where it is not.
func refusalOfSkipping(_ bytes: [UInt8]) -> String? {
  bytes.withUnsafeBytes { bytes in
    var scanner = JSONScanner(bytes)
    do throws(JSONFault) {
      try scanner.skipValue()
      try scanner.expectEnd()
      return nil
    } catch {
      return error.reason
    }
  }
}
