import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit

extension IdentityRepository {
    /// Returns the id of the active account that has a verifiable or recovery address.
    ///
    /// For an unknown address, the query joins on a random id, so it takes the same time and does not reveal
    /// whether the account exists.
    ///
    /// - Parameters:
    ///   - address: The address, whose value must be normalized.
    ///   - isForRecovery: Whether to search the recovery addresses instead of the verifiable addresses.
    /// - Returns: The id of the account; `nil` if there is no account or if it is inactive.
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

    /// Returns the verifiable addresses of an identity, and whether each of them is verified.
    ///
    /// The addresses are in no particular order.
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

    /// Returns whether any account has the given login identifier, which must be normalized.
    ///
    /// The account may be inactive. An identifier that is free now may be taken later, because only the
    /// unique key decides between concurrent registrations.
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
