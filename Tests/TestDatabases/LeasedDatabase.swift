package import LatchkeyPostgreSQL
package import LatchkeyServerKit

/// A driver for a leased database.
///
/// The driver is closed and the lease ends when this object is released.
package final class LeasedDatabase: Database {
    private let database: PostgreSQLDatabase
    private let lease: PostgresLease

    package init(_ database: PostgreSQLDatabase, _ lease: PostgresLease) {
        self.database = database
        self.lease = lease
    }

    deinit {
        Task.detached { [database, lease] in
            await database.close()
            lease.giveBack()
        }
    }

    package func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try await database.rows(sql, values)
    }

    package func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        try await database.transaction(body)
    }

    package var isShared: Bool { database.isShared }

    package var broadcast: Broadcast { database.broadcast }

    package var writes: WriteHealth { database.writes }

    package func close() async {
        await database.close()
        lease.giveBack()
    }
}
