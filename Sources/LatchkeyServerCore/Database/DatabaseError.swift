/// A statement that did not succeed; its message holds SQL and codes, never values.
package struct DatabaseError: Error, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// A unique or primary key is taken.
        case conflict
        /// The database cannot be reached or written now; trying again later may help.
        case unavailable
        /// The queue of writers is full.
        case overloaded
        /// The answer has another shape than the code expects.
        case mismatch
        /// Anything else: a mistake of ours, or a damaged file.
        case failed
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What everybody gets who comes after the database was closed.
    package static let closed = DatabaseError(.unavailable, "The database is closed.")

    package var description: String { "database \(code.rawValue): \(message)" }
}
