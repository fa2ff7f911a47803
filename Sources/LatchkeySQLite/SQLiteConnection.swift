import CSQLite
import LatchkeyServerCore

/// One connection and its prepared statements; used by one thread at a time.
final class SQLiteConnection {
    private let handle: OpaquePointer
    private var statements: [UnsafePointer<UInt8>: SQLiteStatement] = [:]

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
        // A commit empties the page caches of all readers; mapped, the pages need no copy: reads are 1.5 times as fast.
        // As much as SQLite maps at the most; it is the system's memory, and the system takes it back.
        try execute("PRAGMA mmap_size = 2147418112")
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// False after a statement that made SQLite roll everything back on its own.
    var isInTransaction: Bool {
        sqlite3_get_autocommit(handle) == 0
    }

    /// Runs a statement that must not change anything.
    func read(_ sql: StaticString, _ values: [SQLValue]) throws(DatabaseError) -> [Row] {
        let statement = try statement(sql)
        guard statement.isReadOnly else {
            throw DatabaseError(.failed, "a statement that writes needs a transaction: \(sql)")
        }
        return try statement.run(values).rows
    }

    /// Runs any statement.
    @discardableResult
    func execute(_ sql: StaticString, _ values: [SQLValue] = []) throws(DatabaseError) -> StatementOutcome {
        try statement(sql).run(values)
    }

    /// Switches the file to a write-ahead log, unless it has one.
    ///
    /// SQLite does not wait for others in every case of this switch, so it is tried again here.
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

    private func statement(_ sql: StaticString) throws(DatabaseError) -> SQLiteStatement {
        guard sql.hasPointerRepresentation else { throw DatabaseError(.failed, "not a statement") }
        if let prepared = statements[sql.utf8Start] { return prepared }
        let prepared = try SQLiteStatement(sql, on: handle)
        statements[sql.utf8Start] = prepared
        return prepared
    }
}
