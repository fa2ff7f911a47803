package import LatchkeyModel

extension IdentityRepository {
    /// Whose address can be verified, or helps to get back in; nothing for accounts that are closed.
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
            SELECT a.identity_id FROM addresses a JOIN identities i ON i.id = a.identity_id \
            WHERE a.kind = $1 AND a.via = $2 AND a.value = $3 AND i.state = 'active'
            """,
            .text(isForRecovery ? "recovery" : "verifiable"),
            .text(address.via.rawValue),
            .text(address.value)
        ).first?.identifier(0)
    }
}
