import LatchkeyCourier
package import LatchkeyModel
import LatchkeyServerKit

extension IdentityRepository {
    /// Returns the id of the active account that has a verifiable or recovery address.
    ///
    /// For an unknown address the query joins on a random id, so it costs the same and does not reveal
    /// whether the account exists.
    ///
    /// - Parameters:
    ///   - address: The address, with its value normalized.
    ///   - isForRecovery: Whether to search the recovery addresses instead of the verifiable addresses.
    /// - Returns: The id of the account; `nil` if there is none or it is inactive.
    /// - Throws: ``DatabaseError``.
    package func owner(of address: Traits.Address, forRecovery isForRecovery: Bool) async throws
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
}
