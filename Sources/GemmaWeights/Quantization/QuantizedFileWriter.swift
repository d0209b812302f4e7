import Foundation
import GemmaRuntime

/// Writes the planned safetensors file block by block, so that memory stays small whatever the model's size.
struct QuantizedFileWriter {
  /// Weights per block: large enough that a write costs nothing, small enough to stop at once.
  private static let blockElements = 1 << 20

  private let quantizer: AffineQuantizer
  private let plan: QuantizationPlan

  init(_ quantizer: AffineQuantizer, _ plan: QuantizationPlan) {
    self.quantizer = quantizer
    self.plan = plan
  }

  /// Returns the file's size in bytes.
  func write(_ file: OutputFile, progress: (Double) -> Void, shouldStop: () -> Bool) throws -> Int {
    let header = plan.header.bytes
    try file.write(header, at: 0)
    let total = max(plan.items.reduce(0) { $0 + $1.source.entry.range.count }, 1)
    var done = 0
    for item in plan.items {
      try write(item, to: file, dataStart: header.count) { bytes in
        if shouldStop() { throw CancellationError() }
        done += bytes
        progress(Double(done) / Double(total))
      }
    }
    try file.synchronize()
    return header.count + plan.header.dataBytes
  }

  private func write(
    _ item: QuantizationPlan.Item, to file: OutputFile, dataStart: Int, step: (Int) throws -> Void
  ) throws {
    try item.source.file.checkUnchanged()
    func put(_ data: Data, at offset: Int) throws(GemmaError) { try file.write(data, at: dataStart + offset) }
    let entry = item.source.entry
    let bytes = UnsafeRawBufferPointer(rebasing: item.source.file.bytes[entry.range])
    guard case .quantize(let scales, let biases) = item.step else {
      let block = Self.blockElements * 4
      for start in stride(from: 0, to: bytes.count, by: block) {
        let part = bytes[start..<min(start + block, bytes.count)]
        try put(Data(part), at: item.offset + start)
        try step(part.count)
      }
      return
    }
    let groupBytes = quantizer.group * quantizer.bits / 8
    let width = entry.type.byteCount
    let groups = bytes.count / (quantizer.group * width)
    let blockGroups = Self.blockElements / quantizer.group
    for first in stride(from: 0, to: groups, by: blockGroups) {
      let count = min(blockGroups, groups - first)
      let start = first * quantizer.group * width
      let part = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + count * quantizer.group * width)])
      guard let block = quantize(part, entry.type, groups: count) else {
        throw GemmaError.malformedFile(
          item.source.file.url, reason: "tensor \"\(item.source.storedName)\" holds values that are not finite")
      }
      try put(block.codes, at: item.offset + first * groupBytes)
      try put(block.scales, at: scales + first * width)
      try put(block.biases, at: biases + first * width)
      try step(part.count)
    }
  }

  private func quantize(
    _ bytes: UnsafeRawBufferPointer, _ type: ElementType, groups: Int
  ) -> (codes: Data, scales: Data, biases: Data)? {
    let group = quantizer.group
    let groupBytes = group * quantizer.bits / 8
    var codes = [UInt8](repeating: 0, count: groups * groupBytes)
    var scales: [Float] = []
    var biases: [Float] = []
    var values = [Float](repeating: 0, count: group)
    scales.reserveCapacity(groups)
    biases.reserveCapacity(groups)
    for index in 0..<groups {
      Self.load(bytes, type, from: index * group, into: &values)
      let result = values.withUnsafeBufferPointer { values in
        codes.withUnsafeMutableBufferPointer { codes in
          quantizer.quantize(
            values, into: UnsafeMutableBufferPointer(rebasing: codes[(index * groupBytes)..<((index + 1) * groupBytes)])
          )
        }
      }
      guard let result else { return nil }
      scales.append(result.scale)
      biases.append(result.bias)
    }
    return (Data(codes), Self.stored(scales, type), Self.stored(biases, type))
  }

  /// Reads elements in the file's byte order, which is that of all supported machines.
  private static func load(
    _ bytes: UnsafeRawBufferPointer, _ type: ElementType, from start: Int, into values: inout [Float]
  ) {
    for index in values.indices {
      let position = (start + index) * type.byteCount
      switch type {
      case .bf16: values[index] = BrainFloat.float(bytes.loadUnaligned(fromByteOffset: position, as: UInt16.self))
      case .f16: values[index] = HalfPrecision.float(bytes.loadUnaligned(fromByteOffset: position, as: UInt16.self))
      default: values[index] = bytes.loadUnaligned(fromByteOffset: position, as: Float.self)
      }
    }
  }

  private static func stored(_ values: [Float], _ type: ElementType) -> Data {
    switch type {
    case .bf16: values.map { BrainFloat.bits($0) }.withUnsafeBytes { Data($0) }
    case .f16: values.map { HalfPrecision.bits($0) }.withUnsafeBytes { Data($0) }
    default: values.withUnsafeBytes { Data($0) }
    }
  }
}
