import Foundation

/// Prints the rows of the result tables.
struct Report {
    static let header =
        "| scenario | connections | per second | p50 µs | p99 µs | errors | server CPU µs | hashing CPU µs | without hashing | PostgreSQL CPU µs |\n"
        + "|---|---|---|---|---|---|---|---|---|---|"

    static func row(_ name: String, connections: Int, rounds: [Measurement]) {
        guard let median = Measurement.median(rounds) else { return }
        let cells = [
            name, String(connections), String(format: "%.0f", median.perSecond), String(median.p50),
            String(median.p99), String(median.errors), String(format: "%.1f", median.processCPU),
            String(format: "%.1f", median.hashingCPU),
            String(format: "%.1f", median.processCPU - median.hashingCPU),
            median.databaseCPU == 0 ? "" : String(format: "%.1f", median.databaseCPU),
        ]
        line("| " + cells.joined(separator: " | ") + " |")
    }

    /// Prints a row that summarizes the rows above it.
    static func summary(_ format: String, values: Double...) {
        line(
            "| = " + String(format: format, arguments: values.map { $0 as any CVarArg })
                + " | | | | | | | | | |"
        )
    }

    static func line(_ text: String) {
        // We write the output without buffering so that each row appears immediately.
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
