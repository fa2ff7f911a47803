import LatchkeyServerKit

/// A single attempt to run a transaction on a connection.
final class PostgreSQLSession {
    enum Outcome {
        /// The changes were committed, or they were rolled back because the body threw an error.
        case settled
        /// The attempt was rolled back for a reason other than an error thrown by the body.
        case failed(PostgreSQLFailure)
        /// The commit was sent but never answered, so we don't know whether it took effect.
        case unknown
    }

    private let connection: PostgreSQLConnection
    private let answerTimeout: Duration
    /// Whether `BEGIN` has been sent.
    ///
    /// If the body runs no statements, `BEGIN` is never sent.
    private var isBegun = false
    /// The first failed statement, if any.
    ///
    /// Once a statement has failed, the transaction can only be rolled back.
    private(set) var failure: PostgreSQLFailure?

    /// Whether a statement has changed rows.
    private(set) var hasWritten = false

    /// Creates an attempt.
    ///
    /// If a statement isn't answered within `answerTimeout`, the connection is abandoned.
    init(_ connection: PostgreSQLConnection, answerTimeout: Duration) {
        self.connection = connection
        self.answerTimeout = answerTimeout
    }

    /// Runs a statement in the transaction.
    ///
    /// `BEGIN` is sent together with the first statement.
    ///
    /// - Throws: ``DatabaseError``. After a failure, later statements throw the same error without being
    ///   sent.
    func run(_ sql: SQL, _ values: [SQLValue]) throws(DatabaseError) -> StatementOutcome {
        if let failure { throw failure.error }
        do throws(PostgreSQLFailure) {
            if !isBegun {
                try connection.append("BEGIN", [])
                isBegun = true
            }
            let outcome = try connection.run(sql, values, by: .now + answerTimeout)
            if outcome.changes > 0 { hasWritten = true }
            return outcome
        } catch {
            // The server rejects all later statements in this transaction, even if the body ignores the
            // error.
            let failure = error.onWritingConnection
            self.failure = failure
            throw failure.error
        }
    }

    /// Commits the transaction or rolls it back.
    ///
    /// If the body ran no statements, the server isn't contacted. Call this method once, after the body has
    /// returned.
    ///
    /// - Parameter commits: Pass `true` to commit, or `false` if the body threw an error.
    /// - Returns: The outcome of the attempt.
    func end(committing commits: Bool) -> Outcome {
        if let failure {
            rollBack()
            // If the body threw an error after a failed statement, the caller receives the body's error,
            // which may differ from the statement's.
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

    /// Whether the connection must be closed even though we know how the transaction ended.
    private(set) var isBroken = false
}
