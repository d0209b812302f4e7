import GemmaKernels
import Testing

/// Values as they lie in a weight file, with what they mean.
struct StoredValues {
  let memory: GuardedMemory
  let type: ck_type
  let values: [Float]

  /// Rounds `source` to the type; ends `gap` bytes before an inaccessible page.
  init(_ source: [Float], _ type: ck_type, gap: Int = 0) throws {
    self.type = type
    switch type {
    case .CK_F32:
      memory = try GuardedMemory(bytes: source.count * 4, gap: gap)
      for (i, value) in source.enumerated() { memory.raw.storeBytes(of: value, toByteOffset: 4 * i, as: Float.self) }
      values = source
    case .CK_F16:
      memory = try GuardedMemory(bytes: source.count * 2, gap: gap)
      let halves = source.map { Float16($0) }
      for (i, half) in halves.enumerated() { memory.raw.storeBytes(of: half, toByteOffset: 2 * i, as: Float16.self) }
      values = halves.map { Float($0) }
    default:
      memory = try GuardedMemory(bytes: source.count * 2, gap: gap)
      let halves = source.map { bfloat16($0) }
      for (i, half) in halves.enumerated() { memory.raw.storeBytes(of: half, toByteOffset: 2 * i, as: UInt16.self) }
      values = halves.map { Float(bitPattern: UInt32($0) << 16) }
    }
  }

  func vector(shift: Float = 0) -> ck_vector {
    ck_vector(data: UnsafeRawPointer(memory.raw), type: type, shift: shift)
  }
}

/// Nearest bfloat16, ties to even, by comparing distances in Double rather than by the kernels' bit trick.
func bfloat16(_ value: Float) -> UInt16 {
  if value.isNaN { return 0x7fc0 }
  let low = UInt16(value.bitPattern >> 16)
  let below = Double(Float(bitPattern: UInt32(low) << 16))
  let next = Float(bitPattern: UInt32(low &+ 1) << 16)
  // Beyond the largest finite value the next step would be 2^128.
  let above = next.isInfinite ? (value < 0 ? -0x1p128 : 0x1p128) : Double(next)
  if value.isInfinite || Double(value) == below { return low }
  let toBelow = abs(Double(value) - below)
  let toAbove = abs(above - Double(value))
  if toBelow != toAbove { return toBelow < toAbove ? low : low + 1 }
  return low % 2 == 0 ? low : low + 1
}

/// A weight matrix of any type at the end of readable memory, with its values in Double.
struct StoredMatrix {
  let matrix: ck_matrix
  let values: [Double]
  private let owners: [GuardedMemory]

  init(
    rows: Int, columns: Int, type: ck_type, group: Int = 32, scaleType: ck_type = .CK_BF16, gap: Int = 0, seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed)
    guard type == .CK_Q4 || type == .CK_Q8 else {
      let stored = try StoredValues(generator.floats(rows * columns), type, gap: gap)
      owners = [stored.memory]
      values = stored.values.map { Double($0) }
      matrix = ck_matrix(
        data: UnsafeRawPointer(stored.memory.raw), scales: nil, biases: nil, rows: rows, columns: columns,
        stride: columns, group: 0,
        type: type, scale_type: .CK_F32)
      return
    }
    let groups = rows * columns / group
    let scales = try StoredValues(generator.floats(groups), scaleType, gap: gap)
    let biases = try StoredValues(generator.floats(groups), scaleType, gap: gap)
    let limit = type == .CK_Q4 ? 16 : 256
    let codes = (0..<rows * columns).map { _ in UInt8(Int.random(in: 0..<limit, using: &generator)) }
    let bytes =
      type == .CK_Q8 ? codes : (0..<codes.count / 2).map { codes[2 * $0] | codes[2 * $0 + 1] << 4 }
    let data = try GuardedMemory(bytes: bytes.count, gap: gap)
    data.raw.copyMemory(from: bytes, byteCount: bytes.count)
    owners = [data, scales.memory, biases.memory]
    values = codes.indices.map { i in
      let g = i / group
      return Double(biases.values[g].addingProduct(Float(codes[i]), scales.values[g]))
    }
    matrix = ck_matrix(
      data: UnsafeRawPointer(data.raw), scales: UnsafeRawPointer(scales.memory.raw),
      biases: UnsafeRawPointer(biases.memory.raw), rows: rows, columns: columns, stride: columns, group: group,
      type: type,
      scale_type: scaleType)
  }
}
