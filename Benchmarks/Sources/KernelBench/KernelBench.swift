import BenchSupport
import Foundation
import GemmaKernels

/// `kernel-bench`: the speed of each kernel on each level against what this machine can do.
@main
enum KernelBench {
  private static let specs = [
    OptionSpec("level", value: "LIST", "kernel levels, such as avx2,avx512vnni (default: all of this machine)"),
    OptionSpec("kernel", value: "TEXT", "only cases whose \"kernel shape\" contains the text"),
    OptionSpec("rows", value: "LIST", "only these row counts"),
    OptionSpec("threads", value: "N", "threads (default: the processors there are)"),
    OptionSpec("repetitions", value: "N", "runs of each case, at most a second in all (default: 7)"),
    OptionSpec("memory", value: "MB", "memory that weights are read from, from 128 (default: 512)"),
    OptionSpec("anonymous", "weights in anonymous memory instead of a mapped file"),
    OptionSpec("csv", "comma-separated values"),
    OptionSpec("help", "this text"),
  ]

  static func main() {
    do {
      let options = try Options(CommandLine.arguments.dropFirst(), specs: specs)
      if options.has("help") {
        let about = "Measures each kernel on each level against the measured limits of this machine."
        return FileHandle.standardOutput.write(Data(Tool.help("kernel-bench [options]", about, specs).utf8))
      }
      try run(options)
    } catch {
      exit(Tool.report(error))
    }
  }

  private static func run(_ options: Options) throws {
    guard options.positionals.isEmpty else { throw UsageError("unexpected argument \"\(options.positionals[0])\"") }
    let threads = try options.integer("threads", in: 1...1024) ?? Int(ck_processor_count())
    let repetitions = try options.integer("repetitions", in: 1...10_000) ?? 7
    let bytes = (try options.integer("memory", in: 128...65_536) ?? 512) << 20
    let levels = try levels(options.string("level"))
    let isMapped = !options.has("anonymous")
    let weights = try Region(bytes: bytes, mapped: isMapped)
    let other = try Region(bytes: 256 << 20, mapped: !isMapped)
    let rows = try options.integers("rows", in: 1...65_536)
    let filter = options.string("kernel") ?? ""
    let cases = (ProductCases.all(weights) + AttentionCases.all(weights) + ElementCases.all()).filter {
      (filter.isEmpty || "\($0.kernel) \($0.shape)".contains(filter)) && rows?.contains($0.rows) ?? true
    }
    guard !cases.isEmpty else { throw UsageError("no case of this memory size matches") }
    let report = Report(isCSV: options.has("csv"))
    report.header()
    let runner = Runner(threads: threads, repetitions: repetitions)
    let regions = isMapped ? (mapped: weights, anonymous: other) : (mapped: other, anonymous: weights)
    for level in levels {
      guard ck_level_select(level) else { throw UsageError("the level \(level) cannot be selected") }
      measure(cases, level, runner, regions, report)
    }
  }

  /// Limits are measured again wherever the kernel or the row count changes.
  private static func measure(
    _ cases: [Case], _ level: String, _ runner: Runner, _ regions: (mapped: Region, anonymous: Region), _ report: Report
  ) {
    var limits: Limits?
    var last = ""
    for subject in cases {
      let section = "\(subject.kernel) \(subject.rows)"
      if section != last || limits == nil {
        let fresh = Limits.measure(
          level: level, threads: runner.threads, mapped: regions.mapped, anonymous: regions.anonymous)
        Output.note(
          "\(level), \(runner.threads) threads: reading \((fresh.reading.mapped / 1e9).formatted(1)) GB/s mapped, "
            + "\((fresh.reading.anonymous / 1e9).formatted(1)) anonymous; 8-bit peak \((fresh.integerPeak / 1e9).formatted(0)) GMAC/s"
        )
        limits = fresh
        last = section
      }
      guard let limits else { continue }
      report.line(
        Figure(
          subject: subject, level: level, threads: runner.threads, times: runner.times(subject), limits: limits))
    }
  }

  private static func levels(_ text: String?) throws(UsageError) -> [String] {
    let available = (0..<ck_level_count()).compactMap { ck_level_name($0).map { String(cString: $0) } }
    guard let text else { return available }
    let wanted = text.split(separator: ",").map(String.init)
    guard let missing = wanted.first(where: { !available.contains($0) }) else { return wanted }
    throw UsageError("this processor has no level \"\(missing)\"; it has \(available.joined(separator: ", "))")
  }
}
