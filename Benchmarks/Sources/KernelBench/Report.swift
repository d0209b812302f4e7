import BenchSupport

/// The table of figures, for people or as comma-separated values.
struct Report {
  var isCSV: Bool

  func header() {
    if isCSV {
      Output.csv([
        "kernel", "shape", "rows", "level", "threads", "median_us", "minimum_us", "gb_per_s", "share_of_read",
        "gop_per_s", "operation", "share_of_peak", "read_gb_per_s", "peak_gmac_per_s",
      ])
    } else {
      Output.line(
        row(
          "kernel", "shape", "rows", "level", "median us", "min us", "GB/s", "of read", "Gop/s", "of peak"))
    }
  }

  func line(_ figure: Figure) {
    let median = (figure.times.median * 1e6).formatted(2)
    let minimum = (figure.times.minimum * 1e6).formatted(2)
    let bytes = figure.bytesPerSecond.map { ($0 / 1e9).formatted(2) } ?? ""
    let operations = (figure.operationsPerSecond / 1e9).formatted(2)
    let subject = figure.subject
    if isCSV {
      Output.csv([
        subject.kernel, subject.shape, "\(subject.rows)", figure.level, "\(figure.threads)", median, minimum, bytes,
        figure.shareOfBandwidth?.formatted(3) ?? "", operations, subject.unit.rawValue,
        figure.shareOfPeak?.formatted(3) ?? "", (figure.limits.reading.best / 1e9).formatted(1),
        (figure.limits.integerPeak / 1e9).formatted(0),
      ])
    } else {
      Output.line(
        row(
          subject.kernel, subject.shape, "\(subject.rows)", figure.level, median, minimum, bytes,
          percent(figure.shareOfBandwidth), operations, percent(figure.shareOfPeak)))
    }
  }

  private func percent(_ share: Double?) -> String { share.map { ($0 * 100).formatted(0) + " %" } ?? "" }

  private func row(_ fields: String...) -> String {
    let widths = [21, 33, 5, 12, 11, 11, 8, 8, 9, 8]
    return zip(fields, widths).enumerated().map { index, field in
      let padding = String(repeating: " ", count: max(field.1 - field.0.count, 1))
      return index < 2 || index == 3 ? field.0 + padding : padding + field.0 + (index == 2 ? " " : "")
    }.joined()
  }
}
