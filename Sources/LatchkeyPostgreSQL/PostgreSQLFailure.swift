import CPostgreSQL
import LatchkeyServerKit

/// An error from a statement or a connection, which says whether a retry may succeed.
struct PostgreSQLFailure: Error {
    /// How a failure affects retries.
    enum Effect {
        /// The statement failed, and its transaction was aborted. A retry would fail again.
        case statement
        /// The transaction conflicted with another one. A retry may succeed.
        case contention
        /// The connection accepts no writes. If it should, a retry on another connection may succeed.
        case readOnly
        /// The connection is unusable. A retry on another connection may succeed.
        case connection
    }

    /// The error that is thrown to the caller.
    ///
    /// The error's message never contains parameter values.
    let error: DatabaseError
    let effect: Effect

    /// Creates a failure.
    ///
    /// The message must not contain parameter values.
    init(_ effect: Effect, code: DatabaseError.Code, message: String) {
        self.effect = effect
        error = DatabaseError(code, message: message)
    }

    /// The connection broke, so pending statements won't be answered.
    static let connectionLost = PostgreSQLFailure(
        .connection,
        code: .unavailable,
        message: "The connection to PostgreSQL was lost."
    )

    static let answerTimedOut = PostgreSQLFailure(
        .connection,
        code: .unavailable,
        message: "PostgreSQL did not respond in time."
    )

    /// The failure on a connection that was opened for writing.
    ///
    /// If the server of such a connection has become a standby, or the operator has made it read-only, another
    /// connection may lead to the primary.
    var onWritingConnection: PostgreSQLFailure {
        guard effect == .readOnly else { return self }
        return PostgreSQLFailure(.connection, code: .unavailable, message: error.message)
    }

    /// Creates a failure from an error that the server reported.
    ///
    /// The message contains the SQLSTATE and the names of the constraint, table and column. The server's own
    /// message is included only for syntax and feature errors, because other messages may quote values. If
    /// the answer has no SQLSTATE, the connection was lost.
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
        // Only messages for syntax and feature errors (classes 42 and 0A) never quote values. All other
        // messages, and the details of any error, may quote values.
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

    /// Returns how to handle an SQLSTATE, and the error code for the caller.
    private static func classify(_ state: String) -> (Effect, DatabaseError.Code) {
        switch state {
        case "23505": return (.statement, .conflict)
        case "40001", "40P01": return (.contention, .overloaded)
        case "25006": return (.readOnly, .failed)
        // The lock timeout was exceeded.
        case "55P03": return (.statement, .overloaded)
        // The statement timeout was exceeded.
        case "57014": return (.statement, .unavailable)
        // The server doesn't know the prepared statement, or a table that it uses has changed. A new
        // connection prepares the statement again.
        case "26000", "0A000": return (.connection, .failed)
        // The server closed the session because it had been idle for too long, either inside or outside a
        // transaction.
        case "25P03", "57P05": return (.connection, .unavailable)
        default: break
        }
        switch state.prefix(2) {
        case "08", "57": return (.connection, .unavailable)
        case "53", "58": return (.statement, .unavailable)
        default: return (.statement, .failed)
        }
    }

    /// Readable names for the most common errors, keyed by SQLSTATE.
    private static let names = [
        "23502": "null value", "23503": "missing reference", "23505": "duplicate key",
        "53100": "disk full", "40001": "serialization failure", "40P01": "deadlock",
        "25006": "read-only transaction",
        "57014": "statement timeout", "22021": "text that is not UTF-8",
    ]
}
