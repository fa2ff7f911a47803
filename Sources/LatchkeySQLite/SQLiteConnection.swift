import CSQLite
import LatchkeyServerKit

/// A connection with its prepared statements, which only one thread may use at a time.
///
/// The connection is opened without SQLite's mutex, so concurrent use is undefined behavior.
final class SQLiteConnection {
    private let handle: OpaquePointer
    /// The prepared statements, keyed by the address of the string literal.
    private var statements: [UnsafePointer<UInt8>: SQLiteStatement] = [:]

    /// Opens or creates the database, and enables durable commits, foreign keys and secure deletion.
    ///
    /// Durable commits are set with `synchronous = FULL`. With `secure_delete`, SQLite overwrites deleted
    /// content with zeros.
    ///
    /// - Parameters:
    ///   - location: The file or the in-memory database.
    ///   - busyTimeout: The time for which a statement waits for a lock that another connection holds.
    /// - Throws: ``DatabaseError`` if the file cannot be opened or is not a database.
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
        // A commit invalidates the page caches of all readers. Memory-mapped pages need not be copied again,
        // which makes reads 1.5 times as fast. The value is SQLite's maximum. The mapped memory belongs to
        // the system's page cache, so the system can reclaim it.
        try execute("PRAGMA mmap_size = 2147418112")
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Whether a transaction is open, which is no longer the case after SQLite has rolled back automatically
    /// because of an error.
    var isInTransaction: Bool {
        sqlite3_get_autocommit(handle) == 0
    }

    /// Runs a read-only statement, and throws `failed` if the statement writes.
    ///
    /// - Returns: All rows of the result. The snapshot is released before the method returns.
    func read(_ sql: SQL, _ values: [SQLValue]) throws(DatabaseError) -> [Row] {
        let statement = try statement(sql)
        guard statement.isReadOnly else {
            throw DatabaseError(.failed, message: "a statement that writes requires a transaction: \(sql)")
        }
        return try statement.run(values).rows
    }

    /// Runs any statement, which is prepared only once for each address of a string literal.
    ///
    /// - Returns: The rows and the number of changed rows, which is meaningful only for `INSERT`, `UPDATE`
    ///   and `DELETE`.
    /// - Throws: ``DatabaseError``. After an error, the transaction may have been rolled back; see
    ///   ``isInTransaction``.
    @discardableResult
    func execute(_ sql: SQL, _ values: [SQLValue] = []) throws(DatabaseError) -> StatementOutcome {
        try statement(sql).run(values)
    }

    /// Switches the file to write-ahead logging unless this mode is already set.
    ///
    /// SQLite does not always apply its busy timeout when it switches the mode, so this method retries the
    /// switch.
    ///
    /// - Parameter bound: The time limit for the retries.
    /// - Throws: ``DatabaseError`` with the code `unavailable` if the file is still locked when the time
    ///   limit has passed.
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

    /// Returns the cached prepared statement, or prepares the statement.
    private func statement(_ sql: SQL) throws(DatabaseError) -> SQLiteStatement {
        if let prepared = statements[sql.start] { return prepared }
        let prepared = try SQLiteStatement(sql, on: handle)
        statements[sql.start] = prepared
        return prepared
    }
}
