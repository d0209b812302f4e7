import Foundation
import GemmaKernels
import GemmaRuntime

/// MLX's layout of quantised matrices: `<module>.weight` holds the codes, 32 bits of them in each U32, least
/// significant bits first, and `<module>.scales` and `<module>.biases` hold a number for each group of a row.
struct MLXAffineLayout: WeightLayout {
  /// The tensors of one matrix.
  struct Parts {
    let codes: String
    let scales: String
    let biases: String
    let codeShape: [Int]
    /// Of the scales, and of the biases.
    let scaleShape: [Int]

    /// Columns are a multiple of the group.
    init(_ module: String, rows: Int, columns: Int, _ scheme: QuantizationSettings.Scheme) {
      (codes, scales, biases) = (module + weightSuffix, module + scalesSuffix, module + biasesSuffix)
      codeShape = [rows, columns / 32 * scheme.bits]
      scaleShape = [rows, columns / scheme.group]
    }
  }

  private static let weightSuffix = ".weight"
  private static let scalesSuffix = ".scales"
  private static let biasesSuffix = ".biases"

  /// Nil where the configuration says nothing about quantisation.
  let settings: QuantizationSettings?

  static func isUsed(in store: TensorStore) -> Bool { store.tensors.keys.contains { $0.hasSuffix(scalesSuffix) } }

  func matrix(_ module: String, rows: Int, columns: Int, in store: TensorStore) throws(GemmaError) -> WeightMatrix? {
    guard store.contains(module + Self.scalesSuffix) else { return nil }
    guard let scheme = settings?.scheme(of: module) else {
      throw .malformedFile(
        store.url.appendingPathComponent("config.json"),
        reason: "tensor \"\(module).scales\" is stored, but there is no quantization block")
    }
    guard columns % scheme.group == 0 else {
      throw .malformedFile(
        store.url,
        reason: "tensor \"\(module).weight\": \(columns) columns are no multiple of the group size \(scheme.group)")
    }
    let parts = Parts(module, rows: rows, columns: columns, scheme)
    let codes = try store.tensor(parts.codes, shape: parts.codeShape)
    guard codes.type == .u32 else {
      throw .unsupportedModel("tensor \"\(parts.codes)\": expected U32 codes, found \(codes.type.rawValue)")
    }
    let scales = try store.tensor(parts.scales, shape: parts.scaleShape)
    let biases = try store.tensor(parts.biases, shape: parts.scaleShape)
    let scaleType = try store.kernelType(of: scales, parts.scales)
    guard biases.type == scales.type else {
      throw .unsupportedModel("tensor \"\(parts.biases)\": its type differs from that of the scales")
    }
    let raw = ck_matrix(
      data: codes.address, scales: scales.address, biases: biases.address, rows: rows, columns: columns,
      stride: columns, group: scheme.group, type: scheme.bits == 4 ? .CK_Q4 : .CK_Q8, scale_type: scaleType)
    return WeightMatrix(
      raw: raw, file: codes.file, companions: [scales.file, biases.file], name: module,
      byteCount: codes.byteCount + scales.byteCount + biases.byteCount)
  }

  func content(of name: String, in store: TensorStore) -> TensorContent? {
    guard let tensor = store[name] else { return nil }
    if let scheme = schemeOfCodes(name, in: store) {
      return TensorContent(
        parameterCount: tensor.elementCount * 32 / scheme.bits, bits: scheme.bits, groupSize: scheme.group)
    }
    for suffix in [Self.scalesSuffix, Self.biasesSuffix] where name.hasSuffix(suffix) {
      let weight = name.dropLast(suffix.count) + Self.weightSuffix
      guard schemeOfCodes(String(weight), in: store) != nil else { return nil }
      return TensorContent(parameterCount: 0, bits: tensor.type.byteCount * 8, groupSize: nil)
    }
    return nil
  }

  private func schemeOfCodes(_ name: String, in store: TensorStore) -> QuantizationSettings.Scheme? {
    guard store[name]?.type == .u32, name.hasSuffix(Self.weightSuffix) else { return nil }
    let module = String(name.dropLast(Self.weightSuffix.count))
    return store.contains(module + Self.scalesSuffix) ? settings?.scheme(of: module) : nil
  }
}
