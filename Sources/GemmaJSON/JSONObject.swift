/// The members of a JSON object in the order of the text, found by key as fast as in a dictionary.
///
/// Two objects are equal where they have the same members, in whatever order.
package struct JSONObject: Sendable {
  private var names: JSONKeys
  private var values: [JSONValue]

  package init() {
    names = JSONKeys()
    values = []
  }

  /// As many values as keys.
  init(_ keys: JSONKeys, _ values: [JSONValue]) {
    names = keys
    self.values = values
  }

  package var keys: [String] { names.list }

  /// Setting a new key puts it at the end; a known one keeps its place. Setting nil removes a member.
  package subscript(key: String) -> JSONValue? {
    get { names.place(of: key).map { values[$0] } }
    set {
      switch (names.place(of: key), newValue) {
      case (let place?, let value?): values[place] = value
      case (let place?, nil):
        names.remove(at: place)
        values.remove(at: place)
      case (nil, let value?):
        _ = names.insert(key)
        values.append(value)
      case (nil, nil): break
      }
    }
  }

  /// With the keys in the order of their bytes, at every level: the same members always give the same text.
  package var sorted: JSONObject {
    var result = JSONObject()
    for (key, value) in sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      result[key] = value.sorted
    }
    return result
  }
}

extension JSONObject: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { values.count }

  package subscript(place: Int) -> (key: String, value: JSONValue) { (names.list[place], values[place]) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// The last of two equal keys counts.
  package init(dictionaryLiteral members: (String, JSONValue)...) {
    self.init()
    for (key, value) in members { self[key] = value }
  }
}

extension JSONObject: Hashable {
  package static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
  }

  package func hash(into hasher: inout Hasher) {
    // The order of members must not count.
    var sum = 0
    for (key, value) in self {
      var member = Hasher()
      member.combine(key)
      member.combine(value)
      sum ^= member.finalize()
    }
    hasher.combine(sum)
  }
}
