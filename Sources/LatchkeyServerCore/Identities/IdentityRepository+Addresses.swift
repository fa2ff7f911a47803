package import LatchkeyModel

extension IdentityRepository {
    /// Whose address can be verified, or helps to get back in; nothing for accounts that are closed.
    ///
    /// Where there is nobody, somebody who does not exist is looked for in their place, which takes as long.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - isForRecovery: Which of the two is asked for.
    /// - Returns: The account.
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
