package import LatchkeyModel
package import LatchkeyServerKit

/// A PostgreSQL database that runs reads on a few pipelined connections and transactions on dedicated
/// threads.
///
/// Calls never block the calling task's thread. Broken connections are replaced, and transactions are retried
/// if they were interrupted before they could commit.
package final class PostgreSQLDatabase: Database {
    private let readers: PostgreSQLReaders
    private let writers: PostgreSQLWriters
    private let listener: PostgreSQLListener
    private let meter: PostgreSQLUsageMeter

    /// Delivers the changes that all nodes publish.
    ///
    /// Listening starts when the first subscriber is added.
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

    /// How the connections and queues are currently being used.
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
    /// The migration uses its own connection and finishes before this method returns. Afterwards, one
    /// connection for reads is opened in the background. All other connections, including the one that
    /// receives notifications, are opened when they are first needed.
    ///
    /// - Parameters:
    ///   - location: The database to connect to. The database must already exist and use the UTF-8 encoding.
    ///   - options: The number of connections, the timeouts and the number of retries.
    ///   - migrations: The schema migrations, which one node applies while the others wait.
    ///   - time: The clock used to record when each migration was applied.
    /// - Returns: A database that is ready for use.
    /// - Throws: ``DatabaseError``. The code is `failed` if the schema was written by a newer version of
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

    /// Runs a read-only statement.
    ///
    /// If a connection breaks, the statement may be sent again.
    ///
    /// The read fails with `overloaded` if the queue is full or the read has been queued for too long.
    ///
    /// Statements that write fail because the connections are read-only.
    ///
    /// - Throws: ``DatabaseError``, with the code `unavailable` during an outage that lasts longer than
    ///   ``PostgreSQLOptions/waitTimeout``. After ``close()``, the error is ``DatabaseError/closed``.
    package func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try await readers.rows(sql, values)
    }

    /// Runs a transaction.
    ///
    /// The closure is called again if the transaction conflicts with another one or the connection breaks.
    ///
    /// If the connection breaks during the commit, this method throws `unavailable`, and the changes may or
    /// may not have been saved.
    ///
    /// The isolation level is repeatable read. After a conflict, the transaction is restarted with a new
    /// snapshot.
    ///
    /// The closure runs on one of the ``PostgreSQLOptions/writers`` threads and blocks it. The transaction is
    /// not retried if ``PostgreSQLOptions/waitTimeout`` has passed since the call, or if it has already been
    /// attempted ``PostgreSQLOptions/attempts`` times.
    ///
    /// - Throws: Any error thrown by the closure. Also throws ``DatabaseError`` with the code `overloaded` if
    ///   the queue is full or the transaction could not begin in time.
    package func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            writers.submit(PendingTransaction(body, continuation: continuation))
        }
    }

    /// Always `true`, because any number of servers can use the database at the same time.
    package var isShared: Bool { true }

    /// The outcome of the most recent write by this node.
    package var writes: WriteHealth { writers.health }

    /// Rejects new work, waits for queued work to finish and closes the connections.
    package func close() async {
        broadcast.close()
        readers.close()
        writers.close()
        listener.close()
        await readers.ended()
        await writers.ended()
        await listener.ended()
    }

    /// Migrates the schema on a temporary thread with its own connection.
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
                message: "Cannot create a thread to open the database."
            )
        }
        try await result.value.get()
    }
}
