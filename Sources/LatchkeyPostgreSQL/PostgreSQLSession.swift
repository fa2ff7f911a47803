import LatchkeyServerCore

/// One try of a transaction on one connection.
final class PostgreSQLSession {
    /// How a try ended.
    enum Ending {
        /// The body's outcome stands: committed, or undone because the body threw.
        case settled
        /// Nothing of it remains, for a reason that the body is not to blame for.
        case failed(PostgreSQLFailure)
        /// The commit was sent, and its answer never came.
        case unknown
    }

    private let connection: PostgreSQLConnection
    private let answerTimeout: Duration
    private var isBegun = false
    private var failure: PostgreSQLFailure?

    init(_ connection: PostgreSQLConnection, answerTimeout: Duration) {
        self.connection = connection
        self.answerTimeout = answerTimeout
    }

    /// Runs a statement of the transaction; the first one takes its beginning along.
    func run(_ sql: StaticString, _ values: [SQLValue]) throws(DatabaseError) -> StatementOutcome {
        if let failure { throw failure.error }
        do throws(PostgreSQLFailure) {
            if !isBegun {
                try connection.append("BEGIN", [])
                isBegun = true
            }
            return try connection.run(sql, values, by: .now + answerTimeout)
        } catch {
            // The server takes nothing more in this transaction, whatever the body does about it.
            failure = error
            throw error.error
        }
    }

    /// Commits, or undoes.
    ///
    /// - Parameter keeps: Whether the body wants its changes kept.
    /// - Returns: How it ended.
    func end(keeping keeps: Bool) -> Ending {
        if let failure {
            undo()
            // A body that throws what it likes about a statement that failed keeps its own error.
            return failure.effect == .statement && !keeps ? .settled : .failed(failure)
        }
        guard isBegun else { return .settled }
        guard keeps else {
            undo()
            return failure.map { .failed($0) } ?? .settled
        }
        do throws(PostgreSQLFailure) {
            _ = try connection.run("COMMIT", by: .now + answerTimeout)
            guard connection.status == "COMMIT" else {
                return .failed(PostgreSQLFailure(.statement, .failed, "The transaction was undone."))
            }
            return .settled
        } catch {
            return error.effect == .connection ? .unknown : .failed(error)
        }
    }

    private func undo() {
        guard isBegun, failure?.effect != .connection else { return }
        do throws(PostgreSQLFailure) {
            _ = try connection.run("ROLLBACK", by: .now + answerTimeout)
        } catch {
            // The server undoes it when it sees the connection go.
            isBroken = true
        }
    }

    /// Whether the connection must not be used again, though the transaction has ended well.
    private(set) var isBroken = false
}
