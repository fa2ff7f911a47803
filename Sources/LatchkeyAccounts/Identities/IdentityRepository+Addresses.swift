import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit

extension IdentityRepository {
    /// Returns the id of the active account that has the given verifiable or recovery address.
    ///
    /// If the address is unknown, the query looks up a random id instead. This keeps the query time the same,
    /// so the response time doesn't reveal whether the account exists.
    ///
    /// - Parameters:
    ///   - address: The normalized address to search for.
    ///   - isForRecovery: Whether to search the recovery addresses instead of the verifiable addresses.
    /// - Returns: The account's id, or `nil` if there is no such account or the account is inactive.
    /// - Throws: ``DatabaseError``.
    package func owner(of address: ContactAddress, forRecovery isForRecovery: Bool) async throws
        -> Identifier?
    {
        try await database.rows(
            """
            SELECT i.id FROM (SELECT COALESCE((SELECT identity_id FROM addresses \
            WHERE kind = $1 AND via = $2 AND value = $3), $4) AS id) a \
            JOIN identities i ON i.id = a.id AND i.state = 'active'
            """,
            .text(isForRecovery ? "recovery" : "verifiable"),
            .text(address.via.rawValue),
            .text(address.value),
            .identifier(Identifier())
        ).first?.identifier(0)
    }

    /// Returns an identity's verifiable addresses in no particular order, along with their verification
    /// status.
    ///
    /// - Throws: ``DatabaseError``.
    package func verifiableAddresses(of identity: Identifier) async throws
        -> [(value: String, isVerified: Bool)]
    {
        try await database.rows(
            "SELECT value, verified_at FROM addresses WHERE identity_id = $1 AND kind = $2",
            .identifier(identity),
            .text(AddressRow.verifiable)
        ).map { row in (value: try row.text(0), isVerified: !row.isNull(1)) }
    }

    /// Returns whether any account, active or not, has the given login identifier.
    ///
    /// The identifier must be normalized.
    ///
    /// An identifier that is free now may be taken a moment later. If several registrations use the same
    /// identifier at the same time, a unique key ensures that only one of them succeeds.
    ///
    /// - Throws: ``DatabaseError``.
    package static func isTaken(
        _ identifier: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try !transaction.rows(
            "SELECT 1 FROM identifiers WHERE identifier = $1",
            .text(identifier)
        ).isEmpty
    }

    /// Returns whether there is an identity with the given id.
    ///
    /// - Throws: ``DatabaseError``.
    package static func exists(
        _ identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try !transaction.rows("SELECT 1 FROM identities WHERE id = $1", .identifier(identity)).isEmpty
    }
}
