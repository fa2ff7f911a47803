/// A writer for the Prometheus text exposition format (version 0.0.4).
package struct MetricsText {
    /// The text that has been written so far.
    package private(set) var text = ""

    /// Creates a writer and reserves 32 KiB for its text.
    package init() {
        text.reserveCapacity(32 * 1024)
    }

    /// Writes the header of a metric.
    ///
    /// All samples of the metric must be written before the next header.
    ///
    /// The header consists of the help text (`# HELP`) and the type (`# TYPE`).
    package mutating func begin(_ metric: Metric) {
        text +=
            "# HELP \(metric.rawValue) \(metric.help)\n# TYPE \(metric.rawValue) \(metric.kind.rawValue)\n"
    }

    /// Writes the header and the single sample of a metric that has no labels.
    package mutating func write(_ metric: Metric, value: Double) {
        begin(metric)
        sample(metric, labels: [], value: value)
    }

    /// Writes a sample.
    ///
    /// - Parameters:
    ///   - metric: The metric whose header was written last.
    ///   - suffix: The suffix to append to the metric's name in a histogram or summary, such as `_bucket`.
    ///   - values: The label values, in the order of ``Metric/labels``.
    ///   - bound: The upper bound of a histogram bucket (`le`), or `nil` for other samples.
    ///   - value: The value, in the unit given at the end of the metric's name.
    package mutating func sample(
        _ metric: Metric,
        suffix: String = "",
        labels values: [String],
        upTo bound: String? = nil,
        value: Double
    ) {
        text += metric.rawValue + suffix
        var pairs = zip(metric.labels, values).map { ($0, $1) }
        if let bound { pairs.append(("le", bound)) }
        if !pairs.isEmpty {
            text += "{" + pairs.map { "\($0)=\"\(Self.escape($1))\"" }.joined(separator: ",") + "}"
        }
        text += " " + Self.number(value) + "\n"
    }

    /// Formats a number.
    ///
    /// Whole numbers are written without a decimal point.
    private static func number(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : "\(value)"
    }

    /// Escapes quotation marks, backslashes and line feeds in a label value.
    private static func escape(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x22 || $0 == 0x5C || $0 == 0x0A }) else { return text }
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\"": escaped += "\\\""
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
