/// The latencies of one run, in microseconds.
struct Latencies: Sendable {
    private var values: [Int64] = []
    private(set) var errors = 0

    mutating func add(_ microseconds: Int64) { values.append(microseconds) }

    mutating func addError() { errors += 1 }

    mutating func merge(_ other: Latencies) {
        values += other.values
        errors += other.errors
    }

    var count: Int { values.count }

    /// Returns the latency at the given percentile, a number from 0 to 1.
    func percentile(_ share: Double) -> Int64 {
        guard !values.isEmpty else { return 0 }
        return values.sorted()[min(values.count - 1, Int(Double(values.count) * share))]
    }
}
