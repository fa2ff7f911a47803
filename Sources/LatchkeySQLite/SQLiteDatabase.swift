package import LatchkeyModel
package import LatchkeyServerCore

/// A database in one SQLite file: reads on the caller's thread, writes on one thread with group commit.
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

    /// Opens or creates a database and brings its schema up to date.
    ///
    /// The waiting that a busy file may need is done on the writer's thread.
    ///
    /// - Throws: ``DatabaseError``; `failed` when the file was written by a newer version.
    package static func open(
        _ location: SQLiteLocation,
        options: SQLiteOptions = SQLiteOptions(),
        migrations: [Migration] = Migration.all,
        time: some TimeSource = SystemTime()
    ) async throws(DatabaseError) -> SQLiteDatabase {
        let writer = try await SQLiteWriter(queue: options.queue) { () throws(DatabaseError) in
            try location.makePrivate()
            let connection = try SQLiteConnection(location, busyTimeout: options.busyTimeout)
            try connection.useWriteAheadLog(within: options.busyTimeout)
            try SQLiteMigrator(connection, migrations).run(now: time.now)
            return connection
        }
        let readers: SQLiteReaders =
            switch location {
            case .file: SQLiteReaders(of: location, busyTimeout: options.busyTimeout)
            case .memory: SQLiteReaders(sharing: writer.connection)
            }
        return SQLiteDatabase(readers: readers, writer: writer)
    }

    package func rows(_ sql: StaticString, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try readers.rows(sql, values)
    }

    package func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            writer.submit(PendingTransaction(body, continuation))
        }
    }

    package func close() async {
        readers.close()
        writer.close()
        await writer.ended()
    }
}
