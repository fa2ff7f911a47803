import LatchkeyPostgreSQL
import LatchkeyServerCore

/// How a PostgreSQL database's connections are used; a SQLite file has none.
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
