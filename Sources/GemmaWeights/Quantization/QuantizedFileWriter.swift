import Foundation
import GemmaKernels
import GemmaRuntime

/// Writes the planned safetensors file buffer by buffer, so that memory stays small whatever the model's size.
struct QuantizedFileWriter {
  /// Weights per buffer: large enough that a write costs nothing, small enough to stop at once.
  private static let bufferElements = 1 << 20

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
    let total = max(plan.items.reduce(0) { $0 + $1.source.byteCount }, 1)
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
    let bytes = item.source.bytes
    guard case .quantize(let scales, let biases) = item.step, let type = item.source.type.kernelType else {
      let length = Self.bufferElements * 4
      for start in stride(from: 0, to: bytes.count, by: length) {
        let part = bytes[start..<min(start + length, bytes.count)]
        try put(Data(part), at: item.offset + start)
        try step(part.count)
      }
      return
    }
    let groupBytes = quantizer.group * quantizer.bits / 8
    let width = item.source.type.byteCount
    let groups = bytes.count / (quantizer.group * width)
    let bufferGroups = Self.bufferElements / quantizer.group
    for first in stride(from: 0, to: groups, by: bufferGroups) {
      let count = min(bufferGroups, groups - first)
      let start = first * quantizer.group * width
      let part = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + count * quantizer.group * width)])
      guard let buffer = quantize(part, type, groups: count) else {
        throw GemmaError.malformedFile(
          item.source.file.url, reason: "tensor \"\(item.source.name)\" holds values that are not finite")
      }
      try put(buffer.codes, at: item.offset + first * groupBytes)
      try put(buffer.scales, at: scales + first * width)
      try put(buffer.biases, at: biases + first * width)
      try step(part.count)
    }
  }

  private func quantize(
    _ bytes: UnsafeRawBufferPointer, _ type: ck_type, groups: Int
  ) -> (codes: Data, scales: Data, biases: Data)? {
    let group = quantizer.group
    let groupBytes = group * quantizer.bits / 8
    var codes = [UInt8](repeating: 0, count: groups * groupBytes)
    var scales: [Float] = []
    var biases: [Float] = []
    let values = StoredFloats.read(bytes, type, count: groups * group)
    scales.reserveCapacity(groups)
    biases.reserveCapacity(groups)
    for index in 0..<groups {
      let result = values.withUnsafeBufferPointer { values in
        codes.withUnsafeMutableBufferPointer { codes in
          quantizer.quantize(
            UnsafeBufferPointer(rebasing: values[(index * group)..<((index + 1) * group)]),
            into: UnsafeMutableBufferPointer(rebasing: codes[(index * groupBytes)..<((index + 1) * groupBytes)])
          )
        }
      }
      guard let result else { return nil }
      scales.append(result.scale)
      biases.append(result.bias)
    }
    return (Data(codes), StoredFloats.data(scales, as: type), StoredFloats.data(biases, as: type))
  }
}
