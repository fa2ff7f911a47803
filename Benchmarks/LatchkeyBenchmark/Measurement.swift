/// The result of measuring a scenario on a server.
struct Measurement: Sendable {
    var perSecond: Double
    var p50: Int64
    var p99: Int64
    var errors: Int
    /// The server's CPU time per unit of work in microseconds, and how much of it was spent on hashing
    /// passwords.
    var processCPU: Double
    var hashingCPU: Double
    /// The CPU time of the PostgreSQL processes per unit of work in microseconds.
    var databaseCPU: Double

    /// Runs a scenario and measures the resources that the server used.
    static func take(
        on server: ServerProcess,
        connections: Int,
        seconds: Double,
        work: @escaping Work.Unit
    ) throws -> Measurement {
        let database = PostgresUsage.current
        let before = try server.usage
        let outcome = Load(port: server.port, connections: connections, duration: .seconds(seconds)).run(work)
        let after = try server.usage
        let units = Double(max(1, outcome.latencies.count))
        return Measurement(
            perSecond: outcome.perSecond,
            p50: outcome.latencies.percentile(0.5),
            p99: outcome.latencies.percentile(0.99),
            errors: outcome.latencies.errors,
            processCPU: Double(after.process - before.process) / units,
            hashingCPU: Double(after.hashing - before.hashing) / units,
            databaseCPU: Double(PostgresUsage.current - database) / units
        )
    }

    /// Returns the round with the median throughput.
    ///
    /// The number of errors in the result is the total of all rounds.
    static func median(_ rounds: [Measurement]) -> Measurement? {
        let sorted = rounds.sorted { $0.perSecond < $1.perSecond }
        guard var middle = sorted.isEmpty ? nil : sorted[sorted.count / 2] else { return nil }
        middle.errors = rounds.reduce(0) { $0 + $1.errors }
        return middle
    }
}
