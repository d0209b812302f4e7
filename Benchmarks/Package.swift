// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "swift-gemma-benchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "kernel-bench", targets: ["KernelBench"]),
    .executable(name: "model-bench", targets: ["ModelBench"]),
    .executable(name: "weight-bench", targets: ["WeightBench"]),
  ],
  dependencies: [.package(name: "swift-gemma", path: "..")],
  targets: [
    .target(
      name: "CProbe", cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]),
    .target(
      name: "BenchSupport", dependencies: ["CProbe", .product(name: "GemmaKernels", package: "swift-gemma")],
      swiftSettings: strict),
    .executableTarget(
      name: "KernelBench",
      dependencies: ["BenchSupport", "CProbe", .product(name: "GemmaKernels", package: "swift-gemma")],
      swiftSettings: strict),
    .executableTarget(
      name: "ModelBench",
      dependencies: [
        "BenchSupport", .product(name: "GemmaKernels", package: "swift-gemma"),
        .product(name: "Gemma", package: "swift-gemma"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "WeightBench",
      dependencies: ["BenchSupport", "CProbe", .product(name: "GemmaKernels", package: "swift-gemma")],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu17
)
