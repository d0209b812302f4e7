/// The keys of one object, in the order of the text, each of them once. Keys are the same where their bytes are:
/// not where Unicode would call them equivalent, as `String` does.
package struct JSONKeys: Sendable {
  /// Up to so many keys are compared one by one.
  private static let fewKeys = 8

  package private(set) var list: [String] = []
  /// The place of each key, once there are more than a few.
  private var places: [Key: Int] = [:]

  package init() {}

  package var isEmpty: Bool { list.isEmpty }

  package func place(of key: String) -> Int? {
    places.isEmpty ? list.firstIndex { Self.areSame($0, key) } : places[Key(text: key)]
  }

  /// Adds a key at the end; false if it is there already.
  package mutating func insert(_ key: String) -> Bool {
    guard place(of: key) == nil else { return false }
    list.append(key)
    if !places.isEmpty {
      places[Key(text: key)] = list.count - 1
    } else if list.count > Self.fewKeys {
      findPlaces()
    }
    return true
  }

  mutating func remove(at place: Int) {
    list.remove(at: place)
    places = [:]
    if list.count > Self.fewKeys { findPlaces() }
  }

  /// Forgets all keys, for the next object of many.
  package mutating func removeAll() {
    list.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
  }

  private mutating func findPlaces() {
    places = Dictionary(list.enumerated().map { (Key(text: $1), $0) }, uniquingKeysWith: { first, _ in first })
  }

  static func areSame(_ left: String, _ right: String) -> Bool {
    left == right && left.utf8.elementsEqual(right.utf8)
  }

  private struct Key: Hashable {
    let text: String

    static func == (left: Key, right: Key) -> Bool { JSONKeys.areSame(left.text, right.text) }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
  }
}
