// swift-tools-version: 6.2
import PackageDescription

// On Linux OpenBLAS and OpenMP come from the system; Apple platforms have Accelerate and GCD.
let linux: [Platform] = [.linux]
let apple: [Platform] = [.macOS, .iOS, .tvOS, .visionOS]

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

func testTarget(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["GemmaTestSupport"], swiftSettings: strict)
}

let package = Package(
  name: "swift-gemma",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
  products: [
    .library(name: "Gemma", targets: ["Gemma"]),
    // The C kernels with their header, for `Benchmarks`; its functions may change from version to version.
    .library(name: "GemmaKernels", targets: ["GemmaKernels"]),
    .executable(name: "gemma", targets: ["GemmaCommand"]),
  ],
  targets: [
    .systemLibrary(name: "GemmaOpenBLAS", path: "Sources/OpenBLAS"),
    .target(
      name: "GemmaKernels",
      dependencies: [.target(name: "GemmaOpenBLAS", condition: .when(platforms: linux))],
      path: "CKernels",
      cSettings: [
        .headerSearchPath("."),
        .headerSearchPath("../Sources/OpenBLAS"),
        .define("CK_OPENBLAS", .when(platforms: linux)),
        .define("CK_OPENMP", .when(platforms: linux)),
        .define("ACCELERATE_NEW_LAPACK", .when(platforms: apple)),
        .enableWarning("all"), .enableWarning("extra"), .enableWarning("shadow"),
        .treatAllWarnings(as: .error),
      ],
      linkerSettings: [
        // What the module map links is for Swift code that imports it; C code names it here.
        .linkedLibrary("openblas", .when(platforms: linux)),
        // The name that links with the Swift toolchain's clang on Debian and Ubuntu: `-lomp` does not.
        .linkedLibrary("omp5", .when(platforms: linux)),
        .linkedLibrary("m", .when(platforms: linux)),
        .linkedFramework("Accelerate", .when(platforms: apple)),
      ]),
    .target(name: "GemmaRuntime", dependencies: ["GemmaKernels"], swiftSettings: strict),
    .target(name: "GemmaJSON", dependencies: ["GemmaRuntime"], swiftSettings: strict),
    .target(name: "GemmaWeights", dependencies: ["GemmaJSON", "GemmaRuntime"], swiftSettings: strict),
    .target(name: "GemmaTokenization", dependencies: ["GemmaJSON", "GemmaRuntime"], swiftSettings: strict),
    .target(name: "GemmaChat", dependencies: ["GemmaTokenization", "GemmaRuntime"], swiftSettings: strict),
    .target(
      name: "GemmaModels", dependencies: ["GemmaTokenization", "GemmaWeights", "GemmaRuntime"], swiftSettings: strict),
    .target(
      name: "Gemma", dependencies: ["GemmaModels", "GemmaChat", "GemmaTokenization", "GemmaWeights", "GemmaRuntime"],
      swiftSettings: strict),
    .target(
      name: "GemmaDemoModel", path: "Sources/DemoModel",
      resources: [.copy("Resources/demo"), .copy("Resources/demo4")],
      swiftSettings: strict),
    .executableTarget(
      name: "GemmaCommand",
      dependencies: [
        "Gemma", "GemmaDemoModel", "GemmaModels", "GemmaWeights", "GemmaRuntime", "GemmaKernels",
      ],
      swiftSettings: strict),
    .target(
      name: "GemmaTestSupport", dependencies: ["GemmaRuntime", "GemmaTokenization", "GemmaWeights"],
      path: "Tests/TestSupport", swiftSettings: strict),
    // Also compiled for ARM, with its main.c, by GemmaKernelsTests.
    .target(
      name: "GemmaLevelChecks", dependencies: ["GemmaKernels"], path: "Tests/LevelChecks", exclude: ["main.c"],
      cSettings: [
        .enableWarning("all"), .enableWarning("extra"), .enableWarning("shadow"), .treatAllWarnings(as: .error),
      ]),
    testTarget(
      "GemmaKernelsTests",
      ["GemmaKernels", "GemmaLevelChecks", .target(name: "GemmaOpenBLAS", condition: .when(platforms: linux))]),
    testTarget("GemmaRuntimeTests", ["GemmaRuntime"]),
    testTarget("GemmaJSONTests", ["GemmaJSON", "GemmaKernels"]),
    testTarget("GemmaWeightsTests", ["GemmaWeights"]),
    testTarget("GemmaTokenizationTests", ["GemmaTokenization"]),
    testTarget("GemmaChatTests", ["GemmaChat", "GemmaTokenization"]),
    testTarget("GemmaModelsTests", ["GemmaModels"]),
    testTarget("GemmaTests", ["Gemma", "GemmaChat", "GemmaDemoModel", "GemmaModels", "GemmaRuntime", "GemmaKernels"]),
    testTarget("GemmaCommandTests", ["GemmaCommand", "GemmaDemoModel"]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu17
)
