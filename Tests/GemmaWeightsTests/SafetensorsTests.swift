import Foundation
import GemmaKernels
import GemmaRuntime
import GemmaTestSupport
import GemmaWeights
import Testing

@Suite("Damaged safetensors files")
struct SafetensorsTests {
  @Test("the small checkpoint of these tests opens as long as nothing is damaged, and a scalar is read")
  func intact() throws {
    try Fixtures.withTemporaryFolder { folder in
      try SmallCheckpoint.write(to: folder)
      let checkpoint = try Checkpoint(at: folder)
      #expect(try checkpoint.scalar("layers.0.layer_scalar") == 1.5)
      #expect(try checkpoint.matrix("embed_tokens", rows: 2, columns: 32).raw.group == 32)
      #expect(try checkpoint.vector("norm.weight", count: 4, shift: 0).count == 4)
    }
  }

  @Test(
    "each false claim in a header is a malformed file",
    arguments: [
      ("[0,8]", "[0,10]"),  // more bytes than the shape
      ("[0,8]", "[8,0]"),  // reversed
      ("[0,8]", "[-8,0]"),  // negative
      ("[0,8]", "[0.0,8.0]"),  // fractional
      ("[0,8]", "[0,8e0]"),
      ("[0,8]", "[0]"),
      ("[8,40]", "[9,41]"),  // gap and overlap
      ("[8,40]", "[0,32]"),  // overlap
      ("[48,50]", "[50,52]"),  // gap, and beyond the end
      ("[48,50]", "[50,9223372036854775807]"),
      ("\"shape\":[4]", "\"shape\":[5]"),
      ("\"shape\":[4]", "\"shape\":[-4]"),
      ("\"shape\":[4]", "\"shape\":[4.0]"),
      ("\"shape\":[4]", "\"shape\":[9223372036854775807,4]"),
      ("\"shape\":[4]", "\"shape\":[9223372036854775808]"),
      ("\"shape\":[4]", "\"shape\":[2,2,1,1,1,1,1,1,1]"),
      ("\"shape\":[4]", "\"shape\":\"4\""),
      ("BF16", "BF17"),
      ("\"dtype\":\"BF16\",", ""),
      ("{\"dtype\":\"BF16\",\"shape\":[4],\"data_offsets\":[0,8]}", "7"),
      ("model.embed_tokens.scales", "model.norm.weight"),  // a key twice
      ("model.embed_tokens.scales", "language_model.model.norm.weight"),  // a tensor twice
      ("{\"__metadata__\"", "[\"__metadata__\""),
      ("{\"format\":\"pt\"}", String(repeating: "[", count: 5000)),
    ])
  func falseClaim(_ change: (String, String)) throws {
    let header = SmallCheckpoint.header.replacing(change.0, with: change.1, maxReplacements: 1)
    #expect(header != SmallCheckpoint.header)
    let weights = SmallCheckpoint.safetensors(header: header, data: SmallCheckpoint.data)
    try expectMalformed(weights)
  }

  @Test("a header length beyond the file is refused before anything is allocated")
  func headerLength() throws {
    for length in [UInt64.max, UInt64(Int64.max), 1 << 40, 100_000_001, 5000] {
      try expectMalformed(
        SmallCheckpoint.safetensors(header: SmallCheckpoint.header, data: SmallCheckpoint.data, claimedLength: length))
    }
  }

  @Test("headers that are no object, an empty file and one of 7 bytes are malformed")
  func noHeader() throws {
    for header in ["[]", "7", "null", "", "{}{}", "\u{FEFF}{}"] {
      try expectMalformed(SmallCheckpoint.safetensors(header: header, data: Data()))
    }
    try expectMalformed(Data())
    try expectMalformed(Data(count: 7))
  }

  @Test("a file cut short anywhere is malformed")
  func truncation() throws {
    let whole = SmallCheckpoint.safetensors(header: SmallCheckpoint.header, data: SmallCheckpoint.data)
    for length in stride(from: 0, to: whole.count, by: 7) { try expectMalformed(whole.prefix(length)) }
  }

  @Test("bytes that belong to no tensor are malformed, and the error about a missing tensor names it and them")
  func gaps() throws {
    let entry = #""model.norm.weight":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]},"#
    let header = SmallCheckpoint.header.replacing(entry, with: "")
    try Fixtures.withTemporaryFolder { folder in
      try SmallCheckpoint.write(
        weights: SmallCheckpoint.safetensors(header: header, data: SmallCheckpoint.data), to: folder)
      let checkpoint = try Checkpoint(at: folder)
      let missing = #expect(throws: GemmaError.self) { try checkpoint.vector("norm.weight", count: 4, shift: 0) }
      let message = try #require(missing?.errorDescription)
      for part in ["\"norm.weight\" is missing", "[4]", "8 bytes before tensor \"model.embed_tokens.weight\""] {
        #expect(message.contains(part), "\(message)")
      }
      let gap = #expect(throws: GemmaError.self) { try checkpoint.checkGapless() }
      #expect(gap?.errorDescription?.contains("8 bytes before tensor") == true)
    }
    try Fixtures.withTemporaryFolder { folder in
      let whole = SmallCheckpoint.safetensors(header: SmallCheckpoint.header, data: SmallCheckpoint.data + Data([0]))
      try SmallCheckpoint.write(weights: whole, to: folder)
      let gap = #expect(throws: GemmaError.self) { try Checkpoint(at: folder).checkGapless() }
      #expect(gap?.errorDescription?.contains("the last 1 bytes belong to no tensor") == true)
    }
  }

  @Test("weights that are written to or cut short while they are open are found before the next use")
  func changed() throws {
    for size in [40, 400] {
      try Fixtures.withTemporaryFolder { folder in
        try SmallCheckpoint.write(to: folder)
        let checkpoint = try Checkpoint(at: folder)
        try checkpoint.checkUnchanged()
        #expect(truncate(folder.appending(path: "model.safetensors").path, size) == 0)
        let error = #expect(throws: GemmaError.self) { try checkpoint.checkUnchanged() }
        #expect(error?.errorDescription?.contains("changed while it was in use") == true)
      }
    }
    try Fixtures.withTemporaryFolder { folder in
      try SmallCheckpoint.write(to: folder)
      let checkpoint = try Checkpoint(at: folder)
      let file = folder.appending(path: "model.safetensors")
      try FileManager.default.removeItem(at: file)
      try SmallCheckpoint.write(to: folder)
      try checkpoint.checkUnchanged()  // a new file under the name: the mapping keeps the old one
    }
  }

  @Test("an index that leads out of the folder, to a missing shard or to a missing tensor is refused")
  func index() throws {
    let weightMaps = [
      "{\"model.norm.weight\":\"../model.safetensors\"}", "{\"model.norm.weight\":\"other.safetensors\"}",
      "{\"model.norm.bias\":\"model.safetensors\"}", "{\"model.norm.weight\":3}", "[]",
    ]
    for map in weightMaps {
      try Fixtures.withTemporaryFolder { folder in
        try SmallCheckpoint.write(to: folder)
        try Data("{\"weight_map\":\(map)}".utf8).write(to: folder.appending(path: "model.safetensors.index.json"))
        #expect(throws: GemmaError.self, "\(map)") { try Checkpoint(at: folder) }
      }
    }
  }

  @Test("a folder that is missing, is a file, or lacks config or weights is no model, and the message says which")
  func notFound() throws {
    try Fixtures.withTemporaryFolder { folder in
      let absent = folder.appending(path: "absent")
      #expect(throws: GemmaError.modelNotFound(absent, reason: "there is no such folder")) {
        try Checkpoint(at: absent)
      }
      #expect(throws: GemmaError.modelNotFound(folder, reason: "the folder has no config.json")) {
        try Checkpoint(at: folder)
      }
      try Data(SmallCheckpoint.config.utf8).write(to: folder.appending(path: "config.json"))
      #expect(throws: GemmaError.modelNotFound(folder, reason: "the weight file model.safetensors is missing")) {
        try Checkpoint(at: folder)
      }
    }
  }

  private func expectMalformed(_ weights: Data, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let error = try SmallCheckpoint.failure(weights: weights)
    guard case .malformedFile(let url, _)? = error else {
      Issue.record("expected a malformed file, got \(String(describing: error))", sourceLocation: sourceLocation)
      return
    }
    #expect(url.lastPathComponent == "model.safetensors", sourceLocation: sourceLocation)
  }
}
