import BenchSupport
import Foundation
import GemmaKernels

/// `weight-bench`: one-row products of a model's own matrices beside plain loops over the same pages.
@main
enum WeightBench {
  private static let specs = [
    OptionSpec("threads", value: "LIST", "threads (default: 1 and the processors there are)"),
    OptionSpec("repetitions", value: "N", "passes over all matrices for each way; medians count (default: 5)"),
    OptionSpec("help", "this text"),
  ]

  static func main() {
    do {
      let options = try Options(CommandLine.arguments.dropFirst(), specs: specs)
      if options.has("help") {
        let about = "Multiplies a model's quantised matrices with one row, and reads the same bytes with plain loops."
        return FileHandle.standardOutput.write(Data(Tool.help("weight-bench FOLDER [options]", about, specs).utf8))
      }
      try measure(options)
    } catch {
      exit(Tool.report(error))
    }
  }

  private static func measure(_ options: Options) throws {
    guard options.positionals.count == 1 else { throw UsageError("give one model folder; --help says more") }
    let processors = Int(ck_processor_count())
    let threads = try options.integers("threads", in: 1...1024) ?? (processors > 1 ? [1, processors] : [1])
    let repetitions = try options.integer("repetitions", in: 1...1000) ?? 5
    let matrices = try StoredMatrix.all(in: URL(filePath: options.positionals[0]))
    let walker = Walker(matrices)
    Table.head()
    for count in threads {
      Output.note("\(matrices.count) matrices, \(count) threads")
      var table = Table(threads: count)
      Team.run(threads: count) {
        // The first pass brings the pages in and does not count.
        for matrix in matrices { _ = walker.seconds(.inOrder, matrix) }
        for _ in 0..<repetitions { table.add(pass(walker, matrices)) }
      }
      table.print(matrices)
    }
  }

  /// Each way goes through all matrices before the next one does, so that a matrix is out of the caches again.
  private static func pass(_ walker: Walker, _ matrices: [StoredMatrix]) -> [Way: [String: Double]] {
    var seconds: [Way: [String: Double]] = [:]
    for way in Way.allCases {
      for matrix in matrices {
        seconds[way, default: [:]][matrix.shape, default: 0] += walker.seconds(way, matrix)
      }
    }
    return seconds
  }
}
