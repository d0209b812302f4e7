import GemmaKernels
import Testing

@Suite("The table of weight formats")
struct FormatTests {
  static let types = (0..<UInt32(CK_TYPE_COUNT)).compactMap { ck_type(rawValue: $0) }

  /// A row of 256 columns worked out by hand: bytes of codes, and of scales and biases where there are some.
  static let rows: [(type: ck_type, group: Int, scaleType: ck_type, codes: Int, scales: Int)] = [
    (.CK_F32, 0, .CK_F32, 1024, 0), (.CK_F16, 0, .CK_F32, 512, 0), (.CK_BF16, 0, .CK_F32, 512, 0),
    (.CK_I8, 0, .CK_F32, 256, 0),
    (.CK_Q4, 32, .CK_BF16, 128, 16), (.CK_Q4, 64, .CK_F16, 128, 8), (.CK_Q4, 128, .CK_F32, 128, 8),
    (.CK_Q8, 32, .CK_BF16, 256, 16), (.CK_Q8, 64, .CK_F16, 256, 8), (.CK_Q8, 128, .CK_F32, 256, 8),
  ]

  /// [3, 256], where a row lies in a row of 512; three arrays of distinct bytes.
  private func matrix(_ row: (type: ck_type, group: Int, scaleType: ck_type, codes: Int, scales: Int)) throws
    -> (matrix: ck_matrix, parts: [GuardedMemory])
  {
    let parts = try [row.codes, row.scales, row.scales].enumerated().map { part, bytes in
      let memory = try GuardedMemory(bytes: 3 * 2 * bytes)
      for index in 0..<6 * bytes {
        memory.raw.storeBytes(of: UInt8(truncatingIfNeeded: 7 * index + part), toByteOffset: index, as: UInt8.self)
      }
      return memory
    }
    let matrix = ck_matrix(
      data: UnsafeRawPointer(parts[0].raw), scales: row.scales > 0 ? UnsafeRawPointer(parts[1].raw) : nil,
      biases: row.scales > 0 ? UnsafeRawPointer(parts[2].raw) : nil, rows: 3, columns: 256, stride: 512,
      group: row.group, type: row.type, scale_type: row.scaleType)
    return (matrix, parts)
  }

  @Test("has a row for every type, each with another name")
  func names() {
    let names = Self.types.map { String(cString: ck_format_of($0).pointee.name) }
    #expect(names == ["f32", "f16", "bf16", "q4", "q8", "i8"])
    #expect(Set(Self.rows.map(\.type.rawValue)).count == Self.types.count)
  }

  @Test("gives the bytes of rows, parts and columns")
  func bytes() throws {
    for row in Self.rows {
      let (w, parts) = try matrix(row)
      let sizes = [row.codes, row.scales, row.scales]
      #expect(ck_row_bytes(w) == row.codes + 2 * row.scales)
      #expect((0..<3).map { ck_part_bytes(w, $0, 256) } == sizes)
      #expect((0..<3).map { ck_part_stride(w, $0) } == sizes.map { 2 * $0 })
      #expect(ck_columns_bytes(w, 128) == ck_row_bytes(w) / 2)
      #expect(ck_stored_bytes(row.type, 256) == row.codes)
      #expect(ck_column_step(w) == max(row.group, 1))
      withExtendedLifetime(parts) {}
    }
  }

  @Test("counts a block that is only begun as a whole one")
  func begunBlocks() throws {
    let (w, parts) = try matrix((.CK_Q4, 64, .CK_BF16, 128, 8))
    #expect(ck_part_bytes(w, CK_CODES, 3) == 2 && ck_part_bytes(w, CK_SCALES, 65) == 4)
    withExtendedLifetime(parts) {}
  }

  @Test("leads to what copied rows hold")
  func copies() throws {
    for row in Self.rows {
      let (w, parts) = try matrix(row)
      let memory = try GuardedMemory(bytes: 2 * ck_row_bytes(w))
      let copy = ck_copy_rows(UnsafeMutableRawPointer(memory.raw), w, [2, 0], 2, 0)
      #expect(copy.rows == 2 && copy.stride == 256 && ck_row_bytes(copy) == ck_row_bytes(w))
      for part in 0..<Int(CK_PART_COUNT) {
        for (index, id) in [2, 0].enumerated() {
          guard let from = ck_part_address(w, part, id, 0) else {
            #expect(ck_part_address(copy, part, index, 0) == nil && ck_part_stride(w, part) == 0)
            continue
          }
          let count = ck_part_bytes(w, part, 256)
          #expect(from == UnsafeRawPointer(parts[part].raw) + id * 2 * count)
          let copied = try #require(ck_part_address(copy, part, index, 0))
          #expect(
            UnsafeRawBufferPointer(start: copied, count: count)
              .elementsEqual(UnsafeRawBufferPointer(start: from, count: count)))
        }
      }
      #expect(memory.isIntact)
    }
  }

  @Test("cuts rows and columns without moving them")
  func slices() throws {
    for row in Self.rows {
      let (w, parts) = try matrix(row)
      let slice = ck_slice(w, 1, 2, 128, 128)
      #expect(slice.rows == 2 && slice.columns == 128 && slice.stride == 512)
      for (part, bytes) in [row.codes, row.scales, row.scales].enumerated() {
        let expected = bytes > 0 ? UnsafeRawPointer(parts[part].raw) + 2 * bytes + bytes / 2 : nil
        #expect(ck_part_address(slice, part, 0, 0) == expected)
        #expect(ck_part_address(w, part, 1, 128) == expected)
      }
      #expect(ck_row_bytes(slice) == ck_row_bytes(w) / 2)
    }
  }

  @Test("says what activations a format wants")
  func activations() throws {
    for row in Self.rows {
      let (w, parts) = try matrix(row)
      #expect(ck_activation_group(w) == (row.scales > 0 ? row.group : 0))
      withExtendedLifetime(parts) {}
    }
    #expect(ck_format_of(.CK_Q4).pointee.order == .CK_EVEN_ODD)
    #expect(ck_format_of(.CK_Q8).pointee.order == .CK_NATURAL)
    // 8-bit codes, and float32 scales and biases for every 32.
    #expect(ck_widest_row_bytes(256) == 256 + 8 * 8)
  }
}
