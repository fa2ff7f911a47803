import LatchkeyModel
import LatchkeyServerKit

/// A pool of connections for reads.
///
/// Each connection is used by one caller at a time.
///
/// Callers don't wait for each other, because a new connection is opened if all others are in use. There are
/// never more connections than threads that read concurrently. In-memory databases are an exception: all
/// callers share a single connection.
final class SQLiteReaders: Sendable {
    /// Where the connections for reads come from.
    private enum Source {
        /// A database file and the idle connections to it. The connections are `nil` once the pool is closed.
        case file(SQLiteLocation, busyTimeout: Duration, idle: Locked<[SQLiteConnection]?>)
        /// The writer's connection to an in-memory database, or `nil` once it has been closed.
        case shared(Locked<SQLiteConnection?>)
    }

    /// The maximum number of idle connections.
    ///
    /// Once this many connections are idle, other connections are closed after use.
    private static let idleLimit = 32

    private let source: Source

    /// Creates a pool of connections to a file.
    init(of location: SQLiteLocation, busyTimeout: Duration) {
        source = .file(location, busyTimeout: busyTimeout, idle: Locked([]))
    }

    /// Creates a pool for an in-memory database.
    ///
    /// Reads use the writer's connection when no group of transactions is running.
    init(sharing connection: Locked<SQLiteConnection?>) {
        source = .shared(connection)
    }

    /// Runs a read-only statement on the calling thread.
    ///
    /// Throws ``DatabaseError/closed`` after ``close()``.
    func rows(_ sql: SQL, _ values: [SQLValue]) throws(DatabaseError) -> [Row] {
        switch source {
        case .shared(let connection):
            return try connection.withLock { connection throws(DatabaseError) in
                guard let connection else { throw .closed }
                return try connection.read(sql, values)
            }
        case .file(let location, let busyTimeout, let idle):
            let connection = try self.connection(from: idle, location: location, busyTimeout: busyTimeout)
            // The most recently used connection is reused first, because its cache is warm.
            defer {
                idle.withLock { idle in
                    if let count = idle?.count, count < Self.idleLimit { idle?.append(connection) }
                }
            }
            return try connection.read(sql, values)
        }
    }

    /// Returns an idle connection, or opens one.
    private func connection(
        from idle: Locked<[SQLiteConnection]?>,
        location: SQLiteLocation,
        busyTimeout: Duration
    ) throws(DatabaseError) -> SQLiteConnection {
        let connection = try idle.withLock { idle throws(DatabaseError) in
            guard idle != nil else { throw .closed }
            return idle?.popLast()
        }
        if let connection { return connection }
        return try SQLiteConnection(location, busyTimeout: busyTimeout)
    }

    /// Rejects new reads and closes idle connections.
    ///
    /// Connections that are in use are closed when they are returned.
    ///
    /// This method doesn't wait for reads in progress. The connection to an in-memory database is closed by
    /// the writer.
    func close() {
        if case .file(_, _, let idle) = source { idle.withLock { $0 = nil } }
    }
}
