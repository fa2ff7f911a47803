package import LatchkeyModel
package import LatchkeyServerKit

extension IdentityRepository {
    /// The statements that delete an identity and the rows that belong to it; each of them uses an index, and
    /// referenced tables come last.
    private static let belongings: [SQL] = [
        """
        DELETE FROM token_families WHERE session_id IN (SELECT id FROM sessions WHERE identity_id = $1)
        """,
        """
        DELETE FROM replaced_tokens WHERE session_id IN (SELECT id FROM sessions WHERE identity_id = $1)
        """,
        "DELETE FROM certificates WHERE identity_id = $1",
        "DELETE FROM sessions WHERE identity_id = $1",
        "DELETE FROM flows WHERE identity_id = $1",
        "DELETE FROM passwords WHERE identity_id = $1",
        "DELETE FROM known_networks WHERE identity_id = $1",
        "DELETE FROM codes WHERE identity_id = $1",
        "DELETE FROM messages WHERE identity_id = $1",
        "DELETE FROM address_states WHERE identity_id = $1",
        "DELETE FROM addresses WHERE identity_id = $1",
        "DELETE FROM identifiers WHERE identity_id = $1",
        "DELETE FROM identities WHERE id = $1",
    ]

    /// Permanently deletes an identity and all rows that belong to it; the audit log still refers to its id.
    ///
    /// The account is deactivated first. A concurrent login locks the same row, so it conflicts and opens no
    /// session.
    ///
    /// Messages, flows and codes that only contain an address of the identity remain; see ``AccountErasure``.
    ///
    /// - Parameters:
    ///   - identity: The id of the identity.
    ///   - transaction: The transaction to delete in.
    /// - Returns: Whether the identity existed.
    /// - Throws: ``DatabaseError``.
    package static func delete(
        _ identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let closed = try transaction.execute(
            "UPDATE identities SET state = 'inactive' WHERE id = $1",
            .identifier(identity)
        )
        guard closed == 1 else { return false }
        try transaction.execute(
            "UPDATE passwords SET hash = hash WHERE identity_id = $1",
            .identifier(identity)
        )
        for statement in belongings { try transaction.execute(statement, .identifier(identity)) }
        return true
    }
}
