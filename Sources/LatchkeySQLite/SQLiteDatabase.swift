package import LatchkeyModel
package import LatchkeyServerKit

/// A database in a SQLite file: reads run on the caller's thread, writes on a single thread with group
/// commit.
///
/// At most one server uses the file, so ``isShared`` is `false`; administration commands may open it at the
/// same time. The connections are closed when the value is released, but only ``close()`` waits for queued
/// transactions.
package final class SQLiteDatabase: Database {
    private let readers: SQLiteReaders
    private let writer: SQLiteWriter

    private init(readers: SQLiteReaders, writer: SQLiteWriter) {
        self.readers = readers
        self.writer = writer
    }

    deinit {
        readers.close()
        writer.close()
    }

    /// Opens or creates a database and migrates its schema.
    ///
    /// Waiting for a busy file happens on the writer's thread.
    ///
    /// The file and its companions are made accessible to their owner only.
    ///
    /// - Parameters:
    ///   - location: The file, which is created if it does not exist, or a database in memory.
    ///   - options: The capacity of the queue and the time limit for a busy file.
    ///   - migrations: The steps of the schema, of which the missing ones are applied.
    ///   - time: The clock that dates applied migrations.
    /// - Returns: The database, ready for use.
    /// - Throws: ``DatabaseError``; `failed` if the file was written by a newer version.
    package static func open(
        _ location: SQLiteLocation,
        options: SQLiteOptions = SQLiteOptions(),
        migrations: [Migration],
        time: some TimeSource = SystemTime()
    ) async throws(DatabaseError) -> SQLiteDatabase {
        let writer = try await SQLiteWriter(queue: options.queue) { () throws(DatabaseError) in
            try location.makePrivate()
            let connection = try SQLiteConnection(location, busyTimeout: options.busyTimeout)
            try connection.useWriteAheadLog(within: options.busyTimeout)
            try SQLiteMigrator(connection, migrations: migrations).run(now: time.now)
            return connection
        }
        let readers: SQLiteReaders =
            switch location {
            case .file: SQLiteReaders(of: location, busyTimeout: options.busyTimeout)
            case .memory: SQLiteReaders(sharing: writer.connection)
            }
        return SQLiteDatabase(readers: readers, writer: writer)
    }

    /// Runs a read-only statement on the calling thread.
    ///
    /// It reads the last committed state. A file is read without waiting for the writer. A statement that
    /// writes is an error with the code `failed`.
    ///
    /// A database in memory has one connection, so that a read waits for the writer's current group.
    ///
    /// - Throws: ``DatabaseError``; ``DatabaseError/closed`` after ``close()``.
    package func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try readers.rows(sql, values)
    }

    /// Runs a transaction on the writer's thread; the closure runs at most once.
    ///
    /// Waiting transactions share one commit. If one of them throws, only its own changes are rolled back.
    ///
    /// The caller continues after the shared commit is durable. The thread is blocked while a closure runs,
    /// so that a slow one delays all other transactions.
    ///
    /// - Throws: The error of the closure; ``DatabaseError`` with the code `overloaded` if the queue is full,
    ///   and the one of a failed commit.
    package func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            writer.submit(PendingTransaction(body, continuation: continuation))
        }
    }

    /// Rejects new work, completes queued transactions and closes the connections.
    package func close() async {
        readers.close()
        writer.close()
        await writer.ended()
    }
}
