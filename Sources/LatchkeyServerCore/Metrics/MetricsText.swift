/// Writes metrics as Prometheus reads them (text format 0.0.4).
package struct MetricsText {
    package private(set) var text = ""

    package init() {
        text.reserveCapacity(32 * 1024)
    }

    /// Begins a metric; its samples follow.
    package mutating func begin(_ metric: Metric) {
        text +=
            "# HELP \(metric.rawValue) \(metric.help)\n# TYPE \(metric.rawValue) \(metric.kind.rawValue)\n"
    }

    /// Writes a metric with one sample.
    package mutating func write(_ metric: Metric, _ value: Double) {
        begin(metric)
        sample(metric, [], value)
    }

    /// Writes a sample.
    ///
    /// - Parameters:
    ///   - metric: The metric.
    ///   - suffix: What its name ends with, in metrics that are more than a number.
    ///   - values: The values of its labels, in their order.
    ///   - bound: The upper bound of a histogram's bucket.
    ///   - value: The number.
    package mutating func sample(
        _ metric: Metric,
        suffix: String = "",
        _ values: [String],
        upTo bound: String? = nil,
        _ value: Double
    ) {
        text += metric.rawValue + suffix
        var pairs = zip(metric.labels, values).map { ($0, $1) }
        if let bound { pairs.append(("le", bound)) }
        if !pairs.isEmpty {
            text += "{" + pairs.map { "\($0)=\"\(Self.escape($1))\"" }.joined(separator: ",") + "}"
        }
        text += " " + Self.number(value) + "\n"
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : "\(value)"
    }

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
