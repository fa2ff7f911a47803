import LatchkeyServerKit

extension PostgreSQLConnection {
    /// The kind of transactions that a connection runs: read-only or read-write.
    enum Purpose {
        /// With `reading`, transactions are read-only by default, so a statement that writes fails.
        case reading, writing
    }

    /// Connects and, regardless of the server's configuration, sets the session parameters that Latchkey
    /// requires.
    ///
    /// The call throws `failed` if the database encoding is not UTF-8 or the server is older than PostgreSQL
    /// 13.
    ///
    /// The isolation level is repeatable read. The server cancels a statement after
    /// ``PostgreSQLOptions/statementTimeout``, and ends a session that has been idle within a transaction for
    /// 60 seconds. `synchronous_commit = off` is overridden, so commits are durable.
    ///
    /// - Parameters:
    ///   - location: The location of the database. Connecting blocks for up to `connect_timeout` per host.
    ///   - options: The time limits.
    ///   - purpose: Whether the connection may write.
    /// - Returns: The connection, without an open transaction.
    /// - Throws: ``DatabaseError`` with the code `unavailable` if the server cannot be reached or rejects the
    ///   login.
    static func open(
        _ location: PostgreSQLLocation,
        options: PostgreSQLOptions,
        for purpose: Purpose
    ) throws(DatabaseError) -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(location)
        let (seconds, fraction) = options.statementTimeout.components
        let timeout = seconds * 1000 + fraction / 1_000_000_000_000_000
        do throws(PostgreSQLFailure) {
            // If two transactions write the same row with repeatable read, the later one fails and is
            // restarted with a new snapshot. Read committed would only re-evaluate that row, although rows of
            // other tables were read from an older snapshot.
            let outcome = try connection.run(
                """
                SELECT set_config('statement_timeout', $1, false), \
                set_config('default_transaction_read_only', $2, false), \
                set_config('default_transaction_isolation', 'repeatable read', false), \
                set_config('idle_in_transaction_session_timeout', '60000', false), \
                set_config('synchronous_commit', CASE current_setting('synchronous_commit') \
                WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false), \
                current_setting('server_encoding'), current_setting('server_version_num')
                """,
                [.text("\(timeout)"), .text(purpose == .reading ? "on" : "off")],
                by: .now + options.answerTimeout
            )
            try check(outcome)
            return connection
        } catch {
            throw error.error
        }
    }

    /// Checks the encoding and the version of the server.
    private static func check(_ outcome: StatementOutcome) throws(PostgreSQLFailure) {
        do throws(DatabaseError) {
            guard let row = outcome.rows.first else { throw DatabaseError(.mismatch, message: "no settings") }
            guard try row.text(5) == "UTF8" else {
                throw DatabaseError(
                    .failed,
                    message: "The database encoding is not UTF8; create a database WITH ENCODING 'UTF8'."
                )
            }
            guard let version = Int(try row.text(6)), version >= 130_000 else {
                throw DatabaseError(.failed, message: "PostgreSQL 13 or newer is required.")
            }
        } catch {
            throw PostgreSQLFailure(.statement, code: error.code, message: error.message)
        }
    }
}
