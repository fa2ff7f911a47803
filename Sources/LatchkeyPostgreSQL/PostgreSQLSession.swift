import LatchkeyServerKit

/// A single attempt to run a transaction, on one connection.
final class PostgreSQLSession {
    /// The outcome of an attempt.
    enum Outcome {
        /// The outcome of the body is final, because its changes were committed, or were rolled back after
        /// the body threw an error.
        case settled
        /// The attempt was rolled back because of a failure outside the body.
        case failed(PostgreSQLFailure)
        /// The commit was sent, but its answer did not arrive, so it is unknown whether the commit took
        /// effect.
        case unknown
    }

    private let connection: PostgreSQLConnection
    private let answerTimeout: Duration
    /// Whether `BEGIN` was sent, which a body without statements does not need.
    private var isBegun = false
    /// The failure of a statement, after which the transaction can only be rolled back.
    private var failure: PostgreSQLFailure?

    /// Creates an attempt that abandons the connection if a statement is not answered within `answerTimeout`.
    init(_ connection: PostgreSQLConnection, answerTimeout: Duration) {
        self.connection = connection
        self.answerTimeout = answerTimeout
    }

    /// Runs a statement of the transaction, and sends `BEGIN` together with the first statement.
    ///
    /// - Throws: ``DatabaseError``. After a failure, further statements are not sent and throw the same
    ///   error.
    func run(_ sql: SQL, _ values: [SQLValue]) throws(DatabaseError) -> StatementOutcome {
        if let failure { throw failure.error }
        do throws(PostgreSQLFailure) {
            if !isBegun {
                try connection.append("BEGIN", [])
                isBegun = true
            }
            return try connection.run(sql, values, by: .now + answerTimeout)
        } catch {
            // The server rejects all further statements of this transaction, even if the body ignores the
            // error.
            failure = error
            throw error.error
        }
    }

    /// Commits or rolls back the transaction.
    ///
    /// If the body ran no statements, no statement is sent. The method must be called once, after the body.
    ///
    /// - Parameter commits: Whether to commit the transaction; `false` if the body threw an error.
    /// - Returns: The outcome of the attempt.
    func end(committing commits: Bool) -> Outcome {
        if let failure {
            rollBack()
            // If the body threw an error after a failed statement, the caller gets that error, whether or not
            // it is the error of the statement.
            return failure.effect == .statement && !commits ? .settled : .failed(failure)
        }
        guard isBegun else { return .settled }
        guard commits else {
            rollBack()
            return failure.map { .failed($0) } ?? .settled
        }
        do throws(PostgreSQLFailure) {
            _ = try connection.run("COMMIT", by: .now + answerTimeout)
            guard connection.status == "COMMIT" else {
                return .failed(
                    PostgreSQLFailure(.statement, code: .failed, message: "The transaction was rolled back.")
                )
            }
            return .settled
        } catch {
            return error.effect == .connection ? .unknown : .failed(error)
        }
    }

    /// Rolls back the transaction, unless none was begun or the connection is broken.
    private func rollBack() {
        guard isBegun, failure?.effect != .connection else { return }
        do throws(PostgreSQLFailure) {
            _ = try connection.run("ROLLBACK", by: .now + answerTimeout)
        } catch {
            // The server rolls back the transaction when the connection is closed.
            isBroken = true
        }
    }

    /// Whether the connection must be closed even though the outcome of the transaction is known.
    private(set) var isBroken = false
}
