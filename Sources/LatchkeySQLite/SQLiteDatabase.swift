package import LatchkeyModel
package import LatchkeyServerKit

/// A database in a SQLite file; reads run on the caller's thread, and writes run on a single thread with
/// group commit.
///
/// Only one server may use the file at a time, so ``isShared`` is `false`; administration commands may open
/// the file at the same time. The connections are closed when the database object is released, but only
/// ``close()`` waits for queued transactions.
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
    /// If another process has locked the file, the writer's thread waits for the lock.
    ///
    /// The file and its `-wal` and `-shm` files are made accessible to their owner only.
    ///
    /// - Parameters:
    ///   - location: The file, which is created if it does not exist, or an in-memory database.
    ///   - options: The capacity of the queue and the time limit for waiting for a busy file.
    ///   - migrations: The migrations of the schema; those that are missing from the database are applied.
    ///   - time: The clock that provides the times of applied migrations.
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
    /// It reads the last committed state. In a database file, it does not wait for the writer. A statement
    /// that writes fails with the code `failed`.
    ///
    /// An in-memory database has only one connection, so a read waits for the writer's current group.
    ///
    /// - Throws: ``DatabaseError``; ``DatabaseError/closed`` after ``close()``.
    package func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try readers.rows(sql, values)
    }

    /// Runs a transaction on the writer's thread; the closure runs at most once.
    ///
    /// Waiting transactions share one commit. If a closure throws, only the changes of its transaction are
    /// rolled back.
    ///
    /// The caller continues when the shared commit is durable. A closure blocks the thread while it runs, so
    /// a slow closure delays all other transactions.
    ///
    /// - Throws: The error that the closure throws; ``DatabaseError`` with the code `overloaded` if the queue
    ///   is full; the error of a failed commit.
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
