package import LatchkeyModel
package import LatchkeyServerKit

/// A PostgreSQL database: reads share a few pipelined connections, transactions run on threads of their own.
///
/// No call blocks a task's thread. Broken connections are replaced; transactions that had not reached their
/// commit are repeated.
package final class PostgreSQLDatabase: Database {
    private let readers: PostgreSQLReaders
    private let writers: PostgreSQLWriters
    private let meter: PostgreSQLUsageMeter

    private init(readers: PostgreSQLReaders, writers: PostgreSQLWriters, meter: PostgreSQLUsageMeter) {
        self.readers = readers
        self.writers = writers
        self.meter = meter
    }

    /// The current usage of the connections.
    package var usage: PostgreSQLUsage {
        var usage = meter.usage
        usage.waitingReads = readers.waiting
        usage.waitingWrites = writers.waiting
        return usage
    }

    deinit {
        readers.close()
        writers.close()
    }

    /// Connects to a database and migrates its schema.
    ///
    /// The migration is awaited first, on a connection of its own. Afterwards, one connection for reads is
    /// opened in the background; the others are opened on demand.
    ///
    /// - Parameters:
    ///   - location: The URL of the database, which must exist and be encoded in UTF-8.
    ///   - options: The number of connections, the time limits and the retries.
    ///   - migrations: The steps of the schema; one node applies them while the others wait.
    ///   - time: The clock that dates applied migrations.
    /// - Returns: The database, ready for use.
    /// - Throws: ``DatabaseError``; `failed` if the schema was written by a newer version.
    package static func open(
        _ location: PostgreSQLLocation,
        options: PostgreSQLOptions = PostgreSQLOptions(),
        migrations: [Migration],
        time: some TimeSource = SystemTime()
    ) async throws(DatabaseError) -> PostgreSQLDatabase {
        try await migrate(location, options: options, migrations: migrations, time: time)
        let outage = PostgreSQLOutage(waitTimeout: options.waitTimeout)
        let meter = PostgreSQLUsageMeter()
        let writers = PostgreSQLWriters(location, options: options, outage: outage, meter: meter)
        try writers.start()
        do throws(DatabaseError) {
            return PostgreSQLDatabase(
                readers: try PostgreSQLReaders(location, options: options, outage: outage, meter: meter),
                writers: writers,
                meter: meter
            )
        } catch {
            writers.close()
            throw error
        }
    }

    /// Runs a read-only statement; it may be sent again if a connection breaks.
    ///
    /// It fails with `overloaded` if the queue is full or the read has waited in it for too long.
    ///
    /// A statement that writes fails, as the connections are read-only.
    ///
    /// - Throws: ``DatabaseError``: `unavailable` after an outage that is longer than
    ///   ``PostgreSQLOptions/waitTimeout``, ``DatabaseError/closed`` after ``close()``.
    package func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try await readers.rows(sql, values)
    }

    /// Runs a transaction; the closure may run several times, after conflicts and broken connections.
    ///
    /// Throws `unavailable` if the connection breaks during the commit: the changes may or may not be stored
    /// then.
    ///
    /// The isolation level is repeatable read. After a conflict, the transaction is restarted with a new
    /// snapshot.
    ///
    /// The closure runs on one of the ``PostgreSQLOptions/writers`` threads and blocks it. Attempts end after
    /// ``PostgreSQLOptions/waitTimeout``, counted from the call, or ``PostgreSQLOptions/attempts``.
    ///
    /// - Throws: The error of the closure; ``DatabaseError`` with the code `overloaded` if the transaction
    ///   was not begun in time or the queue is full.
    package func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            writers.submit(PendingTransaction(body, continuation: continuation))
        }
    }

    /// Any number of servers may use the database at the same time.
    package var isShared: Bool { true }

    /// Rejects new work, completes the queued one, and closes the connections.
    package func close() async {
        readers.close()
        writers.close()
        await readers.ended()
        await writers.ended()
    }

    /// Migrates the schema on a temporary thread and connection.
    private static func migrate(
        _ location: PostgreSQLLocation,
        options: PostgreSQLOptions,
        migrations: [Migration],
        time: some TimeSource
    ) async throws(DatabaseError) {
        let result = Deferred<Result<Void, DatabaseError>>()
        do {
            _ = try WorkThread {
                result.set(
                    Result { () throws(DatabaseError) in
                        let connection = try PostgreSQLConnection.open(
                            location,
                            options: options,
                            for: .writing
                        )
                        try PostgreSQLMigrator(connection, migrations: migrations).run(now: time.now)
                    }
                )
            }
        } catch {
            throw DatabaseError(
                .unavailable,
                message: "The system cannot create a thread to open the database."
            )
        }
        try await result.value.get()
    }
}
