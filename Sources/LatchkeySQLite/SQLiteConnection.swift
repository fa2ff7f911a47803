import CSQLite
import LatchkeyServerKit

/// A SQLite connection that caches its prepared statements.
///
/// Only one thread may use a connection at a time. The connection is opened without SQLite's mutex, so
/// concurrent use is undefined behavior.
final class SQLiteConnection {
    private let handle: OpaquePointer
    /// The prepared statements, keyed by the address of the SQL string literal.
    private var statements: [UnsafePointer<UInt8>: SQLiteStatement] = [:]

    /// Opens the database, or creates it if the location is writable and it doesn't exist, and enables durable
    /// commits, foreign keys and secure deletion.
    ///
    /// `synchronous = FULL` makes commits durable. With `secure_delete`, SQLite overwrites deleted content
    /// with zeros.
    ///
    /// - Parameters:
    ///   - location: The database file, or an in-memory database.
    ///   - busyTimeout: How long a statement waits for a lock that another connection holds.
    /// - Throws: ``DatabaseError`` if the file cannot be opened or is not a database.
    init(_ location: SQLiteLocation, busyTimeout: Duration) throws(DatabaseError) {
        var opened: OpaquePointer?
        let mode =
            location.isWritable
            ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        let flags = mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let (path, isExclusive) = location.opening
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw DatabaseError(sqlite: code, "cannot open \(location.name)")
        }
        handle = opened
        let (seconds, fraction) = busyTimeout.components
        sqlite3_busy_timeout(handle, Int32(clamping: seconds * 1000 + fraction / 1_000_000_000_000_000))
        // Without locks, closing the connection could delete the log of a server that starts at this moment.
        if !location.isWritable { latchkey_sqlite_keep_log(handle) }
        if isExclusive { try execute("PRAGMA locking_mode = EXCLUSIVE") }
        try execute("PRAGMA synchronous = FULL")
        try execute("PRAGMA foreign_keys = ON")
        try execute("PRAGMA secure_delete = ON")
        try execute("PRAGMA trusted_schema = OFF")
        try execute("PRAGMA temp_store = MEMORY")
        // A commit invalidates the page caches of all readers. With memory mapping, the readers don't have to
        // copy the pages again, so reads are 1.5 times as fast. This value is the maximum that SQLite allows.
        // The mapped memory is part of the system's page cache, so the system can reclaim it.
        try execute("PRAGMA mmap_size = 2147418112")
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Whether a transaction is open.
    ///
    /// If SQLite rolls back a transaction because of an error, this becomes `false`.
    var isInTransaction: Bool {
        sqlite3_get_autocommit(handle) == 0
    }

    /// The number of rows that have been changed since the connection was opened.
    var totalChanges: Int64 { sqlite3_total_changes64(handle) }

    /// Runs a read-only statement.
    ///
    /// Throws `failed` if the statement could change the database.
    ///
    /// - Returns: All rows of the result. The snapshot is released before this method returns.
    func read(_ sql: SQL, _ values: [SQLValue]) throws(DatabaseError) -> [Row] {
        let statement = try statement(sql)
        guard statement.isReadOnly else {
            throw DatabaseError(.failed, message: "statements that write must run in a transaction: \(sql)")
        }
        return try statement.run(values).rows
    }

    /// Runs any statement.
    ///
    /// Each SQL string literal is prepared only once, because statements are cached by the literal's address.
    ///
    /// - Returns: The rows and the number of changed rows. The number is meaningful only for `INSERT`,
    ///   `UPDATE` and `DELETE`.
    /// - Throws: ``DatabaseError``. After an error, the transaction may have been rolled back; see
    ///   ``isInTransaction``.
    @discardableResult
    func execute(_ sql: SQL, _ values: [SQLValue] = []) throws(DatabaseError) -> StatementOutcome {
        try statement(sql).run(values)
    }

    /// Switches the file to write-ahead logging if necessary.
    ///
    /// SQLite doesn't always respect its busy timeout when it changes the journal mode, so this method
    /// retries.
    ///
    /// - Parameter bound: How long to keep retrying.
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

    /// Returns the prepared statement from the cache, or prepares it.
    private func statement(_ sql: SQL) throws(DatabaseError) -> SQLiteStatement {
        if let prepared = statements[sql.start] { return prepared }
        let prepared = try SQLiteStatement(sql, on: handle)
        statements[sql.start] = prepared
        return prepared
    }
}
