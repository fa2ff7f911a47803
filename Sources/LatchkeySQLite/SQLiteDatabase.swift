package import LatchkeyModel
package import LatchkeyServerKit

/// A database in a SQLite file, with reads on the caller's thread and writes with group commit on a single
/// thread.
///
/// Only one server may use the file at a time, so ``isShared`` is `false`. Administration commands may open
/// the file while the server uses it. The connections are closed when the database object is released, but
/// only ``close()`` waits for queued transactions.
package final class SQLiteDatabase: Database {
    private let readers: SQLiteReaders
    private let writer: SQLiteWriter

    /// The publications of this process, the only one that serves the file.
    package let broadcast: Broadcast

    private init(readers: SQLiteReaders, writer: SQLiteWriter, broadcast: Broadcast) {
        self.readers = readers
        self.writer = writer
        self.broadcast = broadcast
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
    ///   - migrations: The migrations of the schema, of which the missing ones are applied.
    ///   - time: The clock that provides the times of applied migrations.
    /// - Returns: The database, ready for use.
    /// - Throws: ``DatabaseError``, with the code `failed` if the file was written by a newer version of
    ///   Latchkey.
    package static func open(
        _ location: SQLiteLocation,
        options: SQLiteOptions = SQLiteOptions(),
        migrations: [Migration],
        time: some TimeSource = SystemTime()
    ) async throws(DatabaseError) -> SQLiteDatabase {
        let broadcast = Broadcast()
        let writer = try await SQLiteWriter(queue: options.queue, broadcast: broadcast) {
            () throws(DatabaseError) in
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
        return SQLiteDatabase(readers: readers, writer: writer, broadcast: broadcast)
    }

    /// Runs a read-only statement on the calling thread.
    ///
    /// The statement reads the last committed state and, in a database file, does not wait for the writer. A
    /// statement that writes fails with the code `failed`.
    ///
    /// An in-memory database has only one connection, so a read waits for the writer's current group.
    ///
    /// - Throws: ``DatabaseError``, which is ``DatabaseError/closed`` after ``close()``.
    package func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try readers.rows(sql, values)
    }

    /// Runs a transaction on the writer's thread, and calls the closure at most once.
    ///
    /// Waiting transactions share one commit. If a closure throws, only the changes of its transaction are
    /// rolled back.
    ///
    /// The caller continues when the shared commit is durable. A closure blocks the thread while it runs, so
    /// a slow closure delays all other transactions.
    ///
    /// - Throws: The error that the closure throws, the error of a failed commit, or ``DatabaseError`` with
    ///   the code `overloaded` if the queue is full.
    package func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            writer.submit(PendingTransaction(body, continuation: continuation))
        }
    }

    /// Rejects new work, completes queued transactions and closes the connections.
    package func close() async {
        broadcast.close()
        readers.close()
        writer.close()
        await writer.ended()
    }
}
