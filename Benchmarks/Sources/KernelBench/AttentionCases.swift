import BenchSupport
import GemmaKernels

/// Attention of the E2B models over caches of several depths.
enum AttentionCases {
  private static let layers: [(name: String, heads: Int, keyValueHeads: Int, dimension: Int)] = [
    ("gemma4 sliding", 8, 1, 256), ("gemma4 full", 8, 1, 512), ("gemma3n", 8, 2, 256),
  ]

  static func all(_ region: Region) -> [Case] {
    var cases: [Case] = []
    for layer in layers {
      for depth in [512, 2048, 8192] {
        for rows in [1, 4, 64] {
          guard
            let attention = attention(
              "\(layer.name) depth \(depth)", layer.heads, layer.keyValueHeads, layer.dimension, depth, rows, region)
          else { continue }
          cases.append(attention)
        }
      }
    }
    return cases
  }

  private static func attention(
    _ shape: String, _ heads: Int, _ keyValueHeads: Int, _ dimension: Int, _ depth: Int, _ rows: Int, _ region: Region
  ) -> Case? {
    let cacheBytes = keyValueHeads * depth * dimension * 2
    let copies = region.bytes / (2 * cacheBytes)
    guard copies > 0 else { return nil }
    var random = Random()
    let width = heads * dimension
    let queries = random.floats(rows * width)
    let out = UnsafeMutablePointer<Float>.allocate(capacity: rows * width)
    // Rows in tiles of 8; heads that share keys together unless that leaves a thread without work: as the models do.
    let tile = 8
    let tiles = (rows + tile - 1) / tile
    return Case(
      kernel: "attention", shape: "bf16 \(shape)", rows: rows, coldBytes: 2 * cacheBytes,
      operations: 2 * rows * heads * depth * dimension, unit: .multiplyAdds
    ) { call in
      let keys = region.base + call % copies * 2 * cacheBytes
      var task = ck_attention_task(
        queries: queries, out: out, keys: keys, values: keys + cacheBytes, key_scales: nil, value_scales: nil,
        query_stride: width, out_stride: width, heads: heads, kv_heads: keyValueHeads, head_dim: dimension,
        capacity: depth, first_position: depth - rows, window: 0, type: .CK_BF16, scale: 0.0625)
      let parts = tiles * keyValueHeads >= Int(ck_team_size()) ? keyValueHeads : heads
      let share = heads / parts
      withUnsafePointer(to: &task) { task in
        Team.forEach(tiles * parts) { items in
          for item in items {
            let row = item / parts * tile
            let head = item % parts * share
            ck_attention(task, row, min(row + tile, rows), head, head + share)
          }
        }
      }
    }
  }
}
