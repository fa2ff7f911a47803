/// A failed database operation, whose message contains SQL and error codes, but no values.
package struct DatabaseError: Error, Sendable, CustomStringConvertible {
    /// The category of a failure, which determines how callers react.
    package enum Code: String, Sendable, CaseIterable {
        /// A row violates a unique index or a primary key.
        case conflict
        /// The database cannot be reached or written to, but a retry may succeed later.
        case unavailable
        /// A queue of reads or transactions is full, or the operation has waited in it for too long.
        case overloaded
        /// A result does not have the columns or types that the code expects.
        case mismatch
        /// Any other failure: an error in a statement, or a damaged file.
        case failed
    }

    /// The category, which determines how callers react.
    package let code: Code
    /// The description for the log, which contains SQL and error codes, but no values of rows.
    package let message: String

    /// Creates an error, whose message must not contain values of statements.
    package init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The error thrown by every operation after the database was closed.
    package static let closed = DatabaseError(.unavailable, message: "The database is closed.")

    /// The category and the message in one line.
    package var description: String { "database \(code.rawValue): \(message)" }
}

extension DatabaseError: ServerErrorConvertible {
    /// Status 503 with `Retry-After` if the database is overloaded or unavailable, and 500 for all other
    /// failures.
    package var serverError: ServerError {
        switch code {
        case .overloaded, .unavailable: .overloaded()
        default: ServerError(500)
        }
    }
}
