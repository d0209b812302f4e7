import Foundation
import GemmaKernels
import Testing

/// Random queries, keys and values with a naive answer in Double.
private struct AttentionCase {
  let rows: Int, heads: Int, kvHeads: Int, headDim: Int, first: Int, window: Int, capacity: Int
  let type: ck_type
  let queries: [Float]
  let keys: CachedRows
  let values: CachedRows
  let scale: Float = 0.2

  init(
    rows: Int, heads: Int, kvHeads: Int, headDim: Int, first: Int, window: Int = 0, capacity: Int? = nil,
    type: ck_type = .CK_BF16, seed: UInt64 = 21
  ) throws {
    self.rows = rows
    self.heads = heads
    self.kvHeads = kvHeads
    self.headDim = headDim
    self.first = first
    self.window = window
    self.type = type
    let slots = capacity ?? (first + rows + 31) / 32 * 32
    self.capacity = slots
    var generator = SeededGenerator(seed)
    queries = generator.floats(rows * heads * headDim)
    var k = generator.floats(kvHeads * slots * headDim)
    var v = generator.floats(k.count)
    // Slots that no query may see hold NaN: touching one shows.
    let last = first + rows - 1
    let oldest = window > 0 ? max(0, first - window + 1) : 0
    let visible = Set((oldest...last).map { $0 % slots })
    for h in 0..<kvHeads {
      for slot in 0..<slots where !visible.contains(slot) {
        for d in 0..<headDim {
          k[(h * slots + slot) * headDim + d] = .nan
          v[(h * slots + slot) * headDim + d] = .nan
        }
      }
    }
    keys = try CachedRows(k, type, width: headDim)
    values = try CachedRows(v, type, width: headDim)
  }

  /// Computes in the given pieces; the queries' rows lie `padding` elements apart.
  func run(
    rowPieces: [Range<Int>]? = nil, headPieces: [Range<Int>]? = nil, dividesSpans: Bool = false
  ) throws -> [Float] {
    let stride = heads * headDim
    let q = try GuardedMemory(queries)
    let out = try GuardedMemory(bytes: 4 * rows * stride)
    out.fill(7)
    var task = ck_attention_task(
      queries: q.floats, out: out.floats, keys: keys.memory.raw, values: values.memory.raw,
      key_scales: keys.scales?.floats, value_scales: values.scales?.floats, query_stride: stride, out_stride: stride,
      heads: heads, kv_heads: kvHeads, head_dim: headDim, capacity: capacity,
      first_position: first, window: window, type: type, scale: scale)
    let spans = (window > 0 ? max(0, first - window + 1) : 0) / 512...(first + rows - 1) / 512
    let stateFloats = rows * spans.count * heads * (headDim + Int(CK_ATTENTION_STATE_EXTRA))
    let data = try GuardedMemory([Float](repeating: .nan, count: stateFloats))
    let states = ck_attention_states(data: data.floats, first_span: spans.lowerBound, spans: spans.count)
    for r in rowPieces ?? [0..<rows] {
      for h in headPieces ?? [0..<heads] {
        guard dividesSpans else {
          ck_attention(&task, r.lowerBound, r.upperBound, h.lowerBound, h.upperBound)
          continue
        }
        for span in spans.reversed() {
          ck_attention_span(&task, states, r.lowerBound, r.upperBound, h.lowerBound, h.upperBound, span)
        }
        for row in r { for head in h { ck_attention_merge(&task, states, row, head) } }
      }
    }
    #expect(out.isIntact && data.isIntact)
    return out.floatArray()
  }

  func reference() -> [Double] {
    var out: [Double] = []
    for row in 0..<rows {
      for head in 0..<heads {
        let position = first + row
        let kv = head / (heads / kvHeads)
        let seen = (window > 0 ? max(0, position - window + 1) : 0)...position
        let q = queries[(row * heads + head) * headDim..<(row * heads + head + 1) * headDim].map { Double($0) }
        let starts = seen.map { (kv * capacity + $0 % capacity) * headDim }
        let scores = starts.map { start in
          Double(scale) * (0..<headDim).reduce(0) { $0 + q[$1] * Double(keys.values[start + $1]) }
        }
        let top = scores.reduce(-Double.infinity, max)
        let weights = scores.map { exp($0 - top) }
        let total = weights.reduce(0, +)
        for d in 0..<headDim {
          out.append(zip(starts, weights).reduce(0) { $0 + $1.1 * Double(values.values[$1.0 + d]) } / total)
        }
      }
    }
    return out
  }

  func check(_ what: String) throws {
    let levels = try availableLevels().map { try withLevel($0) { try run() } }
    for y in levels { #expect(firstDifference(y, levels[0]) == nil, "\(what)") }
    #expect(firstOutside(levels[0], reference(), absolute: 5e-6) == nil, "\(what)")
  }
}

/// Rows as a cache holds them, with what they mean. An int8 row that is not finite has a scale of NaN.
private struct CachedRows {
  let memory: GuardedMemory
  let scales: GuardedMemory?
  let values: [Float]

  init(_ source: [Float], _ type: ck_type, width: Int) throws {
    guard type == .CK_I8 else {
      let stored = try StoredValues(source, type)
      (memory, scales, values) = (stored.memory, nil, stored.values)
      return
    }
    var values: [Float] = []
    var rowScales: [Float] = []
    memory = try GuardedMemory(bytes: source.count)
    for first in stride(from: 0, to: source.count, by: width) {
      let row = source[first..<first + width]
      let scale = row.contains { $0.isNaN } ? .nan : row.reduce(0) { max($0, abs($1)) } / 127
      for (index, value) in row.enumerated() {
        let code = scale.isNaN ? 0 : Int8((value / scale).rounded(.toNearestOrEven))
        memory.raw.storeBytes(of: code, toByteOffset: first + index, as: Int8.self)
        values.append(Float(code) * scale)
      }
      rowScales.append(scale)
    }
    scales = try GuardedMemory(rowScales)
    self.values = values
  }
}

@Suite("Attention")
struct AttentionTests {
  @Test("one query over all that came before", arguments: [0, 1, 30, 31, 32, 33, 63, 64, 150, 511, 512, 1100])
  func decode(position: Int) throws {
    for type in [ck_type.CK_BF16, .CK_F32, .CK_I8] {
      try AttentionCase(rows: 1, heads: 8, kvHeads: 2, headDim: 64, first: position, type: type).check("\(position)")
    }
  }

  @Test("every head size", arguments: [16, 32, 48, 64, 80, 128, 256, 512])
  func headSizes(headDim: Int) throws {
    for type in [ck_type.CK_BF16, .CK_F32, .CK_I8] {
      try AttentionCase(rows: 3, heads: 4, kvHeads: 1, headDim: headDim, first: 40, type: type).check("\(headDim)")
    }
  }

  @Test("every ratio of heads", arguments: [(1, 1), (2, 1), (3, 1), (4, 2), (8, 1), (8, 2), (20, 1), (6, 6)])
  func ratios(heads: Int, kvHeads: Int) throws {
    try AttentionCase(rows: 5, heads: heads, kvHeads: kvHeads, headDim: 32, first: 29).check("\(heads)/\(kvHeads)")
  }

  @Test("windows, flat and in a ring that has wrapped", arguments: [1, 2, 31, 32, 33, 50, 64])
  func windows(window: Int) throws {
    try AttentionCase(rows: 40, heads: 4, kvHeads: 2, headDim: 32, first: 0, window: window).check("flat \(window)")
    let capacity = (window + 40 + 31) / 32 * 32
    for first in [capacity - 20, capacity, 3 * capacity + 5] {
      try AttentionCase(
        rows: 40, heads: 4, kvHeads: 2, headDim: 32, first: first, window: window, capacity: capacity
      ).check("ring \(window) at \(first)")
    }
  }

  @Test("pieces of rows and heads give the bits of the whole")
  func chunkIndependence() throws {
    for window in [0, 45] {
      let type: ck_type = window == 0 ? .CK_BF16 : .CK_I8
      let whole = try AttentionCase(rows: 70, heads: 8, kvHeads: 2, headDim: 64, first: 37, window: window, type: type)
      for level in availableLevels() {
        try withLevel(level) {
          let expected = try whole.run()
          let rowPieces = [0..<1, 1..<2, 2..<7, 7..<40, 40..<70]
          let someRows = try whole.run(rowPieces: rowPieces)
          let someHeads = try whole.run(headPieces: [0..<1, 1..<3, 3..<6, 6..<8])
          let singleRows = try whole.run(rowPieces: (0..<70).map { $0..<$0 + 1 })
          #expect(firstDifference(someRows, expected) == nil)
          #expect(firstDifference(someHeads, expected) == nil)
          #expect(firstDifference(singleRows, expected) == nil)
        }
      }
    }
  }

  @Test("spans that are read apart, the last one first, and then folded give the bits of the whole")
  func spans() throws {
    for (window, type) in [(0, ck_type.CK_BF16), (0, .CK_I8), (700, .CK_F32), (700, .CK_I8)] {
      let whole = try AttentionCase(
        rows: 40, heads: 6, kvHeads: 2, headDim: 48, first: 1510, window: window, capacity: 1568, type: type)
      try whole.check("\(window), type \(type.rawValue)")
      for level in availableLevels() {
        try withLevel(level) {
          let expected = try whole.run()
          let apart = try whole.run(rowPieces: [0..<25, 25..<40], headPieces: [0..<1, 1..<6], dividesSpans: true)
          #expect(firstDifference(apart, expected) == nil, "\(level), window \(window), type \(type.rawValue)")
        }
      }
    }
  }

  @Test("a row that is not asked for is not written")
  func ranges() throws {
    let whole = try AttentionCase(rows: 4, heads: 4, kvHeads: 1, headDim: 32, first: 3)
    let some = try whole.run(rowPieces: [1..<2], headPieces: [2..<3])
    let written = some.indices.filter { some[$0] != 7 }
    #expect(written.first == 6 * 32 && written.last == 7 * 32 - 1)
  }
}
