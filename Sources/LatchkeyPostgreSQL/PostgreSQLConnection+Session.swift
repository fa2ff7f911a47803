import LatchkeyServerKit

extension PostgreSQLConnection {
    /// The use of a connection: read-only or read-write transactions.
    enum Purpose {
        /// `reading` makes transactions read-only by default, so that a statement that writes fails.
        case reading, writing
    }

    /// Connects and sets the session parameters that Latchkey requires, regardless of the server's
    /// configuration.
    ///
    /// Throws `failed` if the database is not encoded in UTF-8 or the server is older than PostgreSQL 13.
    ///
    /// Transactions are repeatable read. A statement is cancelled after
    /// ``PostgreSQLOptions/statementTimeout``, and a session that is idle within a transaction is ended after
    /// 60 seconds. `synchronous_commit = off` is overridden, so that a commit is durable.
    ///
    /// - Parameters:
    ///   - location: The database; connecting blocks for up to `connect_timeout` for each host.
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
            // Repeatable read: if two transactions write the same row, the later one fails and is restarted
            // with a new snapshot. Read committed would re-evaluate the row only, and read other tables as
            // they were before.
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
