// swift-tools-version: 6.2
import PackageDescription

// On Linux OpenMP comes from the system, and so does OpenBLAS, which is loaded when it is first needed; Apple platforms
// have Accelerate and GCD.
let linux: [Platform] = [.linux]
let apple: [Platform] = [.macOS, .iOS, .tvOS, .visionOS]

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

func testTarget(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: strict)
}

let package = Package(
  name: "swift-gemma",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
  products: [
    .library(name: "Gemma", targets: ["Gemma"]),
    // The C kernels with their header, for `Benchmarks`; its functions may change from version to version.
    .library(name: "CKernels", targets: ["CKernels"]),
    .executable(name: "gemma", targets: ["GemmaCommand"]),
  ],
  targets: [
    .target(
      name: "CKernels",
      path: "CKernels",
      cSettings: [
        .headerSearchPath("."),
        .define("CK_OPENBLAS", .when(platforms: linux)),
        .define("CK_OPENMP", .when(platforms: linux)),
        .define("ACCELERATE_NEW_LAPACK", .when(platforms: apple)),
        .enableWarning("all"), .enableWarning("extra"), .enableWarning("shadow"),
        .treatAllWarnings(as: .error),
      ],
      linkerSettings: [
        // The names that link with the Swift toolchain's clang on Debian and Ubuntu: `-lomp` does not.
        .linkedLibrary("omp5", .when(platforms: linux)),
        .linkedLibrary("m", .when(platforms: linux)),
        .linkedLibrary("dl", .when(platforms: linux)),
        .linkedFramework("Accelerate", .when(platforms: apple)),
      ]),
    .target(name: "Tensors", dependencies: ["CKernels"], swiftSettings: strict),
    .target(name: "Weights", dependencies: ["Tensors"], swiftSettings: strict),
    .target(name: "Tokenization", dependencies: ["Tensors"], swiftSettings: strict),
    .target(name: "Models", dependencies: ["Tokenization", "Weights", "Tensors"], swiftSettings: strict),
    .target(name: "Gemma", dependencies: ["Models", "Tokenization", "Weights", "Tensors"], swiftSettings: strict),
    .target(name: "DemoModel", resources: [.copy("Resources/demo"), .copy("Resources/demo4")], swiftSettings: strict),
    .executableTarget(
      name: "GemmaCommand",
      dependencies: ["Gemma", "DemoModel", "Models", "Tokenization", "Weights", "Tensors"],
      swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["Tensors", "Weights"], path: "Tests/TestSupport", swiftSettings: strict),
    // Also compiled for ARM, with its main.c, by CKernelsTests.
    .target(
      name: "LevelChecks", dependencies: ["CKernels"], path: "Tests/LevelChecks", exclude: ["main.c"],
      cSettings: [
        .enableWarning("all"), .enableWarning("extra"), .enableWarning("shadow"), .treatAllWarnings(as: .error),
      ]),
    testTarget("CKernelsTests", ["CKernels", "LevelChecks"]),
    testTarget("TensorsTests", ["Tensors"]),
    testTarget("WeightsTests", ["Weights"]),
    testTarget("TokenizationTests", ["Tokenization"]),
    testTarget("ModelsTests", ["Models"]),
    testTarget("GemmaTests", ["Gemma", "DemoModel", "Models", "Tensors", "CKernels"]),
    testTarget("CommandTests", ["GemmaCommand", "DemoModel"]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu17
)
