import CSQLite
import LatchkeyServerKit

/// A connection with its prepared statements; used by one thread at a time.
///
/// It is opened without SQLite's mutex, so concurrent use is undefined behaviour.
final class SQLiteConnection {
    private let handle: OpaquePointer
    /// The prepared statements, by the address of their literal.
    private var statements: [UnsafePointer<UInt8>: SQLiteStatement] = [:]

    /// Opens or creates the database, and sets durability, foreign keys and secure deletion.
    ///
    /// Commits are durable (`synchronous = FULL`), and deleted content is overwritten with zeros
    /// (`secure_delete`).
    ///
    /// - Parameters:
    ///   - location: The file or the database in memory.
    ///   - busyTimeout: The time for which a statement waits for the lock of another connection.
    /// - Throws: ``DatabaseError`` if the file cannot be opened, or is not a database.
    init(_ location: SQLiteLocation, busyTimeout: Duration) throws(DatabaseError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(location.path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw DatabaseError(sqlite: code, "cannot open \(location.path)")
        }
        handle = opened
        let (seconds, fraction) = busyTimeout.components
        sqlite3_busy_timeout(handle, Int32(clamping: seconds * 1000 + fraction / 1_000_000_000_000_000))
        try execute("PRAGMA synchronous = FULL")
        try execute("PRAGMA foreign_keys = ON")
        try execute("PRAGMA secure_delete = ON")
        try execute("PRAGMA trusted_schema = OFF")
        try execute("PRAGMA temp_store = MEMORY")
        // A commit invalidates the page caches of all readers; mapped pages need no copy: reads are 1.5 times
        // as fast. The value is SQLite's maximum; the mapped memory belongs to the system's page cache, which
        // can reclaim it.
        try execute("PRAGMA mmap_size = 2147418112")
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Whether a transaction is open; `false` after a statement that made SQLite roll back automatically.
    var isInTransaction: Bool {
        sqlite3_get_autocommit(handle) == 0
    }

    /// Runs a read-only statement; throws `failed` for a statement that writes.
    ///
    /// - Returns: All rows of the result; the snapshot is released before the method returns.
    func read(_ sql: SQL, _ values: [SQLValue]) throws(DatabaseError) -> [Row] {
        let statement = try statement(sql)
        guard statement.isReadOnly else {
            throw DatabaseError(.failed, message: "a statement that writes requires a transaction: \(sql)")
        }
        return try statement.run(values).rows
    }

    /// Runs any statement; prepared statements are cached by the address of the text.
    ///
    /// - Returns: The rows and the number of changed rows; the latter is meaningful for `INSERT`, `UPDATE`
    ///   and `DELETE` only.
    /// - Throws: ``DatabaseError``. The transaction may have been rolled back then; see ``isInTransaction``.
    @discardableResult
    func execute(_ sql: SQL, _ values: [SQLValue] = []) throws(DatabaseError) -> StatementOutcome {
        try statement(sql).run(values)
    }

    /// Switches the file to write-ahead logging if it does not use it yet.
    ///
    /// SQLite does not apply its busy timeout in every case of this switch, so it is retried here.
    ///
    /// - Parameter bound: The time limit of the retries.
    /// - Throws: ``DatabaseError`` with the code `unavailable` if the file is still locked after that time.
    func useWriteAheadLog(within bound: Duration) throws(DatabaseError) {
        let deadline = ContinuousClock.now + bound
        while true {
            do {
                try execute("PRAGMA journal_mode = WAL")
                return
            } catch  where error.code == .unavailable && ContinuousClock.now < deadline {
                sqlite3_sleep(2)
            }
        }
    }

    /// Returns a prepared statement from the cache, or prepares it.
    private func statement(_ sql: SQL) throws(DatabaseError) -> SQLiteStatement {
        if let prepared = statements[sql.start] { return prepared }
        let prepared = try SQLiteStatement(sql, on: handle)
        statements[sql.start] = prepared
        return prepared
    }
}
