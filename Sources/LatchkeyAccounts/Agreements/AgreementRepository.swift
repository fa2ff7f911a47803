package import LatchkeyModel
package import LatchkeyServerKit

/// Reads and changes the column `identities.agreements`.
///
/// Saving an identity doesn't write the column, so it can't undo an answer that another request has recorded.
package enum AgreementRepository {
    /// Returns an account's answers, or `nil` if the account doesn't exist.
    package static func find(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Agreements? {
        let rows = try transaction.rows(
            "SELECT agreements FROM identities WHERE id = $1",
            .identifier(identity)
        )
        return try rows.first.map { row throws(DatabaseError) in
            Agreements(column: try row.optional(0, as: Row.text))
        }
    }

    /// Stores an account's answers.
    ///
    /// The caller must hold the account's row, so that no other answer is lost.
    package static func save(
        _ agreements: Agreements,
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "UPDATE identities SET agreements = $2 WHERE id = $1",
            .identifier(identity),
            .optional(agreements.column)
        )
    }

    /// Removes an account's answers, because a new owner is asked again.
    static func clear(of identity: Identifier, in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute(
            "UPDATE identities SET agreements = NULL WHERE id = $1",
            .identifier(identity)
        )
    }
}
