/// An error from a database operation.
///
/// The message contains SQL and error codes, but no values.
package struct DatabaseError: Error, Sendable, CustomStringConvertible {
    /// The category of an error, which tells callers how to react.
    package enum Code: String, Sendable, CaseIterable {
        /// A row violates a unique index or a primary key.
        case conflict
        /// The database can't be reached, read or written to, for example because the disk is full, but a
        /// retry may succeed.
        case unavailable
        /// The queue of reads or transactions is full, the operation spent too long in the queue, or it
        /// repeatedly conflicted with other transactions.
        case overloaded
        /// The result doesn't have the columns or types that the code expects.
        case mismatch
        /// Any other failure, such as an invalid statement or a corrupt file.
        case failed
    }

    /// The category of the error, which tells callers how to react.
    package let code: Code
    /// A description of the error for the log.
    ///
    /// The description contains SQL and error codes, but never any values from rows.
    package let message: String

    /// Creates an error.
    ///
    /// The message must not contain any values from the statement.
    package init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The error that every operation throws once the database has been closed.
    package static let closed = DatabaseError(.unavailable, message: "The database is closed.")

    /// The category and the message on one line.
    package var description: String { "database \(code.rawValue): \(message)" }
}

extension DatabaseError: ServerErrorConvertible {
    /// Status 503 with `Retry-After` and the reason if the database is overloaded or unavailable, and status
    /// 500 for any other failure.
    package var serverError: ServerError {
        switch code {
        case .overloaded: .overloaded()
        case .unavailable: .storageUnavailable
        default: ServerError(500)
        }
    }
}
