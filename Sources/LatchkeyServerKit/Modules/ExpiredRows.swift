package import LatchkeyModel

/// Rows that the server no longer relies on, and that the clean-up therefore deletes.
package struct ExpiredRows: Sendable {
    /// A kind of row, named by what its rows are.
    package struct Kind: Hashable, Sendable, ExpressibleByStringLiteral {
        private let name: String

        package init(stringLiteral name: String) { self.name = name }
    }

    /// Deletes at most `limit` rows that have expired at `now`, and returns their number.
    package typealias Deletion = @Sendable (_ now: Timestamp, _ limit: Int, any Database) async throws -> Int

    package let kind: Kind
    package let delete: Deletion

    /// Describes rows that are deleted in transactions of their own.
    package init(_ kind: Kind, byTransactions delete: @escaping Deletion) {
        (self.kind, self.delete) = (kind, delete)
    }

    /// Describes rows that are deleted with one transaction for each batch.
    package init(
        _ kind: Kind,
        delete: @escaping @Sendable (_ now: Timestamp, _ limit: Int, borrowing Transaction) throws -> Int
    ) {
        self.kind = kind
        self.delete = { now, limit, database in
            try await database.transaction { try delete(now, limit, $0) }
        }
    }
}
