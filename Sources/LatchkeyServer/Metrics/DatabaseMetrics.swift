import LatchkeyPostgreSQL
import LatchkeyServerKit

/// The connection usage of a PostgreSQL database, for which SQLite has no equivalent.
struct DatabaseMetrics: MetricsSource {
    let database: any Database

    /// Writes the number of transaction retries and, with the label `reader`, `writer` or `listener`, the
    /// numbers of connections and queued operations.
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
