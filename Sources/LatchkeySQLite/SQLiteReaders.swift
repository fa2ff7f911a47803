import LatchkeyModel
import LatchkeyServerCore

/// The connections that read, lent to one caller at a time.
///
/// A caller never waits for another: there are at most as many connections as threads that read at once.
final class SQLiteReaders: Sendable {
    private enum Source {
        case file(SQLiteLocation, busyTimeout: Duration, idle: Locked<[SQLiteConnection]?>)
        case shared(Locked<SQLiteConnection?>)
    }

    /// More than this many stay open only while they are used.
    private static let idleLimit = 32

    private let source: Source

    /// Reads a file through connections of their own.
    init(of location: SQLiteLocation, busyTimeout: Duration) {
        source = .file(location, busyTimeout: busyTimeout, idle: Locked([]))
    }

    /// Reads through the writer's connection, between its transactions.
    init(sharing connection: Locked<SQLiteConnection?>) {
        source = .shared(connection)
    }

    func rows(_ sql: StaticString, _ values: [SQLValue]) throws(DatabaseError) -> [Row] {
        switch source {
        case .shared(let connection):
            return try connection.withLock { connection throws(DatabaseError) in
                guard let connection else { throw .closed }
                return try connection.read(sql, values)
            }
        case .file(let location, let busyTimeout, let idle):
            let connection = try lend(idle, location, busyTimeout)
            // The last one in is the next one out: its cache is warm.
            defer {
                idle.withLock { idle in
                    if let count = idle?.count, count < Self.idleLimit { idle?.append(connection) }
                }
            }
            return try connection.read(sql, values)
        }
    }

    private func lend(
        _ idle: Locked<[SQLiteConnection]?>,
        _ location: SQLiteLocation,
        _ busyTimeout: Duration
    ) throws(DatabaseError) -> SQLiteConnection {
        let lent = try idle.withLock { idle throws(DatabaseError) in
            guard idle != nil else { throw .closed }
            return idle?.popLast()
        }
        if let lent { return lent }
        return try SQLiteConnection(location, busyTimeout: busyTimeout)
    }

    func close() {
        if case .file(_, _, let idle) = source { idle.withLock { $0 = nil } }
    }
}
