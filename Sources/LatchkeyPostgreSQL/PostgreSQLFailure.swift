import CPostgreSQL
import LatchkeyServerKit

/// A failure of a statement or a connection, with its effect on retries.
struct PostgreSQLFailure: Error {
    /// The consequence of a failure.
    enum Effect {
        /// The statement and its transaction failed, and a retry would fail again.
        case statement
        /// The transaction conflicts with another transaction, and a retry may succeed.
        case contention
        /// The connection is unusable, but a retry on another connection may succeed.
        case connection
    }

    /// The error for the caller, which contains no parameter values.
    let error: DatabaseError
    /// The consequence for retries.
    let effect: Effect

    /// Creates a failure, whose message must not contain parameter values.
    init(_ effect: Effect, code: DatabaseError.Code, message: String) {
        self.effect = effect
        error = DatabaseError(code, message: message)
    }

    /// The connection broke, so pending statements will not be answered.
    static let connectionLost = PostgreSQLFailure(
        .connection,
        code: .unavailable,
        message: "The connection to PostgreSQL was lost."
    )

    /// The server did not answer in time.
    static let answerTimedOut = PostgreSQLFailure(
        .connection,
        code: .unavailable,
        message: "PostgreSQL does not respond."
    )

    /// Creates a failure from an error that the server reported.
    ///
    /// The message contains the SQLSTATE and the names of the constraint, table and column. It contains the
    /// server's message only for syntax and feature errors, because other messages may quote values. An
    /// answer without an SQLSTATE means that the connection was lost.
    init(_ result: OpaquePointer, sql: String) {
        func field(_ letter: Unicode.Scalar) -> String? {
            PQresultErrorField(result, Int32(letter.value)).map { String(cString: $0) }
        }
        guard let state = field("C") else {
            self = .connectionLost
            return
        }
        let (effect, code) = Self.classify(state)
        var parts = [Self.names[state] ?? "error", "(PostgreSQL \(state))"]
        // Only the messages for syntax and feature errors (classes 42 and 0A) quote no values. All other
        // messages, and the details of all errors, may quote values.
        if state.hasPrefix("42") || state.hasPrefix("0A"), let text = field("M") { parts.append(text) }
        for (letter, noun) in [("n", "constraint"), ("t", "table"), ("c", "column")]
            as [(Unicode.Scalar, String)]
        {
            if let name = field(letter) { parts.append("\(noun) \(name)") }
        }
        self.init(
            effect,
            code: code,
            message: parts.joined(separator: " ") + (sql.isEmpty ? "" : " in: \(sql)")
        )
    }

    /// Maps an SQLSTATE to its effect and to the error code for the caller.
    private static func classify(_ state: String) -> (Effect, DatabaseError.Code) {
        switch state {
        case "23505": return (.statement, .conflict)
        case "40001", "40P01": return (.contention, .unavailable)
        // The statement timeout or the lock timeout has passed.
        case "57014", "55P03": return (.statement, .unavailable)
        // The prepared statement is unknown, or a table that it uses has changed. A new connection prepares
        // it again.
        case "26000", "0A000": return (.connection, .failed)
        // The server ended the session because it was idle, either inside or outside a transaction.
        case "25P03", "57P05": return (.connection, .unavailable)
        default: break
        }
        switch state.prefix(2) {
        case "08", "57": return (.connection, .unavailable)
        case "53", "58": return (.statement, .unavailable)
        default: return (.statement, .failed)
        }
    }

    /// The names of the most common errors, keyed by SQLSTATE.
    private static let names = [
        "23502": "null value", "23503": "missing reference", "23505": "duplicate key",
        "40001": "serialization failure", "40P01": "deadlock", "25006": "read-only transaction",
        "57014": "statement timeout", "22021": "text that is not UTF-8",
    ]
}
