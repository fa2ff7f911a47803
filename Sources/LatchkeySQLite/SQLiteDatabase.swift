package import LatchkeyModel
package import LatchkeyServerKit

/// A SQLite database that runs reads on the caller's thread and writes on a single thread with group commit.
///
/// Only one server may use the file at a time, so ``isShared`` is `false`. Administration commands may open
/// the file while the server is using it. The connections are closed when the database object is released,
/// but only ``close()`` waits for queued transactions.
package final class SQLiteDatabase: Database {
    private let readers: SQLiteReaders
    private let writer: SQLiteWriter

    /// Delivers the changes that this process publishes.
    ///
    /// Only one server process uses a SQLite file, so there are no changes from other processes.
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

    /// Opens a database, or creates it if it doesn't exist, and migrates its schema.
    ///
    /// If another process has locked the file, the writer's thread waits for the lock.
    ///
    /// The permissions of the file and its `-wal` and `-shm` files are changed so that only their owner can
    /// access them.
    ///
    /// - Parameters:
    ///   - location: The database file, or an in-memory database. The file is created if it doesn't exist.
    ///   - options: The capacity of the queue, and how long to wait for a busy file.
    ///   - migrations: The schema migrations. Migrations that have already been applied are skipped.
    ///   - time: The clock used to record when each migration was applied.
    /// - Returns: A database that is ready for use.
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
            case .file, .unchanged: SQLiteReaders(of: location, busyTimeout: options.busyTimeout)
            case .memory: SQLiteReaders(sharing: writer.connection)
            }
        return SQLiteDatabase(readers: readers, writer: writer, broadcast: broadcast)
    }

    /// Runs a read-only statement on the calling thread.
    ///
    /// The result includes all committed changes, and no others. A read from a database file doesn't have to
    /// wait for the writer. Statements that write fail with the code `failed`.
    ///
    /// An in-memory database has only one connection, so reads wait for the writer's current group of
    /// transactions.
    ///
    /// - Throws: ``DatabaseError``. After ``close()``, the error is ``DatabaseError/closed``.
    package func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try readers.rows(sql, values)
    }

    /// Runs a transaction on the writer's thread.
    ///
    /// The closure is called at most once.
    ///
    /// Transactions that are waiting at the same time share one commit. If a closure throws, only its own
    /// changes are rolled back.
    ///
    /// This method returns once the shared commit is durable. A closure blocks the thread while it runs, so a
    /// slow closure delays all other transactions.
    ///
    /// - Throws: Any error thrown by the closure, the error from a failed commit, or ``DatabaseError`` with
    ///   the code `overloaded` if the queue is full.
    package func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            writer.submit(PendingTransaction(body, continuation: continuation))
        }
    }

    /// The outcome of the most recent write.
    package var writes: WriteHealth { writer.health }

    /// Rejects new work, waits for queued transactions to finish and closes the connections.
    package func close() async {
        broadcast.close()
        readers.close()
        writer.close()
        await writer.ended()
    }
}
