import LatchkeyPostgreSQL
import LatchkeyServerKit

/// Reports how a PostgreSQL database's connections are used.
///
/// These metrics are not available for SQLite.
struct DatabaseMetrics: MetricsSource {
    let database: any Database

    /// Writes the number of transaction retries, connections and queued operations.
    ///
    /// Connections and queued operations are labelled `reader`, `writer` or `listener`.
    func write(to text: inout MetricsText) {
        guard let usage = (database as? PostgreSQLDatabase)?.usage else { return }
        text.write(.databaseRetries, value: Double(usage.retries))
        text.begin(.databaseConnections)
        text.sample(.databaseConnections, labels: ["reader"], value: Double(usage.readers))
        text.sample(.databaseConnections, labels: ["writer"], value: Double(usage.writers))
        text.sample(.databaseConnections, labels: ["listener"], value: Double(usage.listeners))
        text.begin(.databaseQueue)
        text.sample(.databaseQueue, labels: ["reader"], value: Double(usage.waitingReads))
        text.sample(.databaseQueue, labels: ["writer"], value: Double(usage.waitingWrites))
    }
}
