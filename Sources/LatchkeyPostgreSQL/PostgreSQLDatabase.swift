package import LatchkeyModel
package import LatchkeyServerCore

/// A PostgreSQL database: reads share few connections in pipeline mode, transactions run on threads of their own.
///
/// Nothing here blocks a task. A connection that breaks is replaced; what had not reached its commit is done again.
package final class PostgreSQLDatabase: Database {
    private let readers: PostgreSQLReaders
    private let writers: PostgreSQLWriters
    private let meter: PostgreSQLUsageMeter

    private init(readers: PostgreSQLReaders, writers: PostgreSQLWriters, meter: PostgreSQLUsageMeter) {
        self.readers = readers
        self.writers = writers
        self.meter = meter
    }

    /// How its connections are used now.
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

    /// Connects to a database and brings its schema up to date.
    ///
    /// - Throws: ``DatabaseError``; `failed` when the schema is of a newer version.
    package static func open(
        _ location: PostgreSQLLocation,
        options: PostgreSQLOptions = PostgreSQLOptions(),
        migrations: [Migration] = Migration.all,
        time: some TimeSource = SystemTime()
    ) async throws(DatabaseError) -> PostgreSQLDatabase {
        try await migrate(location, options, migrations, time)
        let outage = PostgreSQLOutage(patience: options.patience)
        let meter = PostgreSQLUsageMeter()
        let writers = PostgreSQLWriters(location, options, outage, meter)
        try writers.start()
        do throws(DatabaseError) {
            return PostgreSQLDatabase(
                readers: try PostgreSQLReaders(location, options, outage, meter),
                writers: writers,
                meter: meter
            )
        } catch {
            writers.close()
            throw error
        }
    }

    package func rows(_ sql: StaticString, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try await readers.rows(sql, values)
    }

    package func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            writers.submit(PendingTransaction(body, continuation))
        }
    }

    package var isShared: Bool { true }

    package func close() async {
        readers.close()
        writers.close()
        await readers.ended()
        await writers.ended()
    }

    /// On a thread and a connection that end with it.
    private static func migrate(
        _ location: PostgreSQLLocation,
        _ options: PostgreSQLOptions,
        _ migrations: [Migration],
        _ time: some TimeSource
    ) async throws(DatabaseError) {
        let result = Deferred<Result<Void, DatabaseError>>()
        do {
            _ = try WorkThread {
                result.set(
                    Result { () throws(DatabaseError) in
                        let connection = try PostgreSQLConnection.open(location, options, for: .writing)
                        try PostgreSQLMigrator(connection, migrations).run(now: time.now)
                    }
                )
            }
        } catch {
            throw DatabaseError(.unavailable, "The system gives no thread to open the database on.")
        }
        try await result.value.get()
    }
}
