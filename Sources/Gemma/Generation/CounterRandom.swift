import Foundation
import GemmaRuntime

/// Random numbers without state: those of one position in the sequence of a seed.
struct CounterRandom {
  private let state: UInt64

  init(seed: UInt64, position: Int) {
    state = Self.mix(Self.mix(seed ^ 0xA076_1D64_78BD_642F) &+ UInt64(position) &* 0x9E37_79B9_7F4A_7C15)
  }

  /// The position's number in [0, 1), with 53 random bits.
  func uniform() -> Double { Double(state >> 11) * 0x1p-53 }

  /// The position's number for a token, distributed exponentially with mean 1; above 0.
  func exponential(_ token: TokenID) -> Double {
    let bits = Self.mix(state ^ Self.mix(UInt64(UInt32(bitPattern: token))))
    return -log((Double(bits >> 11) + 0.5) * 0x1p-53)
  }

  /// A bijection in which each bit of the input changes about half of the output's bits.
  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
