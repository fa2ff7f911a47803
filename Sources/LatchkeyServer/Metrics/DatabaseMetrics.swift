import LatchkeyPostgreSQL
import LatchkeyServerCore

/// The connection usage of a PostgreSQL database; no metrics for SQLite.
struct DatabaseMetrics: MetricsSource {
    let database: any Database

    func write(to text: inout MetricsText) {
        guard let usage = (database as? PostgreSQLDatabase)?.usage else { return }
        text.write(.databaseRetries, Double(usage.retries))
        text.begin(.databaseConnections)
        text.sample(.databaseConnections, ["reader"], Double(usage.readers))
        text.sample(.databaseConnections, ["writer"], Double(usage.writers))
        text.begin(.databaseQueue)
        text.sample(.databaseQueue, ["reader"], Double(usage.waitingReads))
        text.sample(.databaseQueue, ["writer"], Double(usage.waitingWrites))
    }
}
