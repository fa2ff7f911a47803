import LatchkeyServerKit

extension PostgreSQLConnection {
    /// Whether a connection is used for reads or for transactions.
    enum Purpose {
        /// Transactions on a `reading` connection are read-only by default, so any statement that writes
        /// fails.
        case reading, writing
    }

    /// Connects to the server and sets the session parameters that Latchkey relies on, overriding the
    /// server's own configuration.
    ///
    /// Throws `failed` if the database encoding is not UTF-8 or the server is older than PostgreSQL 13.
    ///
    /// The isolation level is repeatable read. The server cancels statements that take longer than
    /// ``PostgreSQLOptions/statementTimeout`` and closes sessions that have been idle inside a transaction
    /// for 60 seconds. If the server is configured with `synchronous_commit = off`, the setting is overridden
    /// so that commits are durable.
    ///
    /// - Parameters:
    ///   - location: The database to connect to. Connecting blocks for up to `connect_timeout` per host.
    ///   - options: The timeouts for statements and answers.
    ///   - purpose: Whether the connection is used for reads or for writes.
    /// - Returns: The connection, with no transaction open.
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
            // With repeatable read, when two transactions write the same row, the later one fails and is
            // restarted with a new snapshot. With read committed, PostgreSQL would only re-evaluate that one
            // row, even though rows from other tables had been read from an older snapshot.
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

    /// Checks that the database uses UTF-8 and that the server is recent enough.
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
