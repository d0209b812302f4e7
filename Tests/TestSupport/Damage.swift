package import Foundation

/// SplitMix64 (Steele, Lea and Flood 2014): the same damage in every run.
package struct DamageGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension Data {
  /// With one to four bytes changed, removed or added, or the end cut off.
  package func damaged(_ generator: inout DamageGenerator) -> Data {
    var bytes = [UInt8](self)
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 2: bytes.removeLast(bytes.count - place)
      case 3: bytes.remove(at: place)
      default: bytes.insert(Array("0123456789-.eE[]{},:\"".utf8).randomElement(using: &generator) ?? 0, at: place)
      }
    }
    return Data(bytes)
  }
}
