package import LatchkeyModel
package import LatchkeyServerKit

/// A PostgreSQL database, in which reads share a few pipelined connections and transactions run on dedicated
/// threads.
///
/// No call blocks the thread of the calling task. Broken connections are replaced, and transactions that were
/// interrupted before their commit are retried.
package final class PostgreSQLDatabase: Database {
    private let readers: PostgreSQLReaders
    private let writers: PostgreSQLWriters
    private let listener: PostgreSQLListener
    private let meter: PostgreSQLUsageMeter

    /// The publications of all nodes, which are received from the first subscription on.
    package let broadcast: Broadcast

    private init(
        readers: PostgreSQLReaders,
        writers: PostgreSQLWriters,
        listener: PostgreSQLListener,
        meter: PostgreSQLUsageMeter
    ) {
        self.readers = readers
        self.writers = writers
        self.listener = listener
        self.meter = meter
        broadcast = Broadcast { listener.start(into: $0) }
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
        listener.close()
    }

    /// Connects to a database and migrates its schema.
    ///
    /// The migration runs on a separate connection and completes first. Afterwards, one connection for reads
    /// is opened in the background, and all other connections are opened on demand, including the one that receives
    /// notifications.
    ///
    /// - Parameters:
    ///   - location: The location of the database, which must exist and have the encoding UTF-8.
    ///   - options: The number of connections, the time limits and the retries.
    ///   - migrations: The migrations of the schema, which one node applies while the others wait.
    ///   - time: The clock that provides the times of applied migrations.
    /// - Returns: The database, ready for use.
    /// - Throws: ``DatabaseError``, with the code `failed` if the schema was written by a newer version of
    ///   Latchkey.
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
                listener: try PostgreSQLListener(location, options: options, meter: meter),
                meter: meter
            )
        } catch {
            writers.close()
            throw error
        }
    }

    /// Runs a read-only statement, which may be sent again if a connection breaks.
    ///
    /// The read fails with `overloaded` if the queue is full or the read has been queued for too long.
    ///
    /// A statement that writes fails, because the connections are read-only.
    ///
    /// - Throws: ``DatabaseError``, with the code `unavailable` during an outage that lasts longer than
    ///   ``PostgreSQLOptions/waitTimeout``, or ``DatabaseError/closed`` after ``close()``.
    package func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try await readers.rows(sql, values)
    }

    /// Runs a transaction, and runs the closure again after conflicts and broken connections.
    ///
    /// The call throws `unavailable` if the connection breaks during the commit, in which case the changes
    /// may or may not be stored.
    ///
    /// The isolation level is repeatable read. After a conflict, the transaction is restarted with a new
    /// snapshot.
    ///
    /// The closure runs on one of the ``PostgreSQLOptions/writers`` threads and blocks it. The transaction is
    /// not attempted again once ``PostgreSQLOptions/waitTimeout`` has passed since the call, or after
    /// ``PostgreSQLOptions/attempts`` attempts.
    ///
    /// - Throws: The error that the closure throws, or ``DatabaseError`` with the code `overloaded` if the
    ///   queue is full or the transaction could not begin in time.
    package func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            writers.submit(PendingTransaction(body, continuation: continuation))
        }
    }

    /// Always `true`, because any number of servers may use the database at the same time.
    package var isShared: Bool { true }

    /// Rejects new work, completes queued work and closes the connections.
    package func close() async {
        broadcast.close()
        readers.close()
        writers.close()
        listener.close()
        await readers.ended()
        await writers.ended()
        await listener.ended()
    }

    /// Migrates the schema on a temporary thread with a temporary connection.
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
