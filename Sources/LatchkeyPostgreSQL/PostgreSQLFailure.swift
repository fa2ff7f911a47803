import CPostgreSQL
import LatchkeyServerCore

/// A statement or a connection that failed, and what that means for what comes next.
struct PostgreSQLFailure: Error {
    /// What a failure means for what comes next.
    enum Effect {
        /// The statement failed, and with it its transaction.
        case statement
        /// Another transaction got in the way; the same may succeed if it is begun anew.
        case contention
        /// The connection cannot be used any more; another may do.
        case connection
    }

    let error: DatabaseError
    let effect: Effect

    init(_ effect: Effect, _ code: DatabaseError.Code, _ message: String) {
        self.effect = effect
        error = DatabaseError(code, message)
    }

    /// The connection broke; what was under way has no answer.
    static let lost = PostgreSQLFailure(.connection, .unavailable, "The connection to PostgreSQL broke.")

    /// There was no answer in time.
    static let silent = PostgreSQLFailure(.connection, .unavailable, "PostgreSQL does not answer.")

    /// Sorts an error that the server reports.
    init(_ result: OpaquePointer, _ sql: String) {
        func field(_ letter: Unicode.Scalar) -> String? {
            PQresultErrorField(result, Int32(letter.value)).map { String(cString: $0) }
        }
        guard let state = field("C") else {
            self = .lost
            return
        }
        let (effect, code) = Self.sort(state)
        var parts = [Self.names[state] ?? "error", "(PostgreSQL \(state))"]
        // The text of other errors, and details of all, may quote values.
        if state.hasPrefix("42") || state.hasPrefix("0A"), let text = field("M") { parts.append(text) }
        for (letter, noun) in [("n", "constraint"), ("t", "table"), ("c", "column")]
            as [(Unicode.Scalar, String)]
        {
            if let name = field(letter) { parts.append("\(noun) \(name)") }
        }
        self.init(effect, code, parts.joined(separator: " ") + (sql.isEmpty ? "" : " in: \(sql)"))
    }

    private static func sort(_ state: String) -> (Effect, DatabaseError.Code) {
        switch state {
        case "23505": return (.statement, .conflict)
        case "40001", "40P01": return (.contention, .unavailable)
        // Cancelled by its time-out; a lock that was not to be had in time.
        case "57014", "55P03": return (.statement, .unavailable)
        // The server no longer knows a prepared statement, or a table under it has changed: a fresh connection does.
        case "26000", "0A000": return (.connection, .failed)
        // The server ended the session, because it was idle in a transaction, or idle.
        case "25P03", "57P05": return (.connection, .unavailable)
        default: break
        }
        switch state.prefix(2) {
        case "08", "57": return (.connection, .unavailable)
        case "53", "58": return (.statement, .unavailable)
        default: return (.statement, .failed)
        }
    }

    /// Plain names of what is met most.
    private static let names = [
        "23502": "null value", "23503": "missing reference", "23505": "taken key",
        "40001": "serialization failure", "40P01": "deadlock", "25006": "read-only transaction",
        "57014": "statement timeout", "22021": "text that is not UTF-8",
    ]
}
