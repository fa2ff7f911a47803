import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// The grants of mailed links.
extension GrantRepository {
    /// Gives the grant of a mailed link a new code that lasts until a time, unless a code of it was redeemed.
    ///
    /// The flows of all addresses of a sign-up share one request. The condition on the address keeps the owner of one
    /// address from getting a code that proves another one.
    ///
    /// - Returns: Whether the grant belongs to the identity, hasn't ended and was created for the address.
    static func renewCode(
        of grant: Identifier,
        with code: AuthorizationCode,
        confirming address: ContactAddress,
        for identity: Identifier,
        until expiresAt: Timestamp,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE grants SET code_hash = $2, code_expires_at = $6, \
            expires_at = CASE WHEN expires_at < $6 THEN $6 ELSE expires_at END \
            WHERE id = $3 AND identity_id = $4 AND proven_address = $5 AND redeemed_at IS NULL AND \(isAlive)
            """,
            .time(now),
            .blob(code.hash),
            .identifier(grant),
            .identifier(identity),
            .text(address.value),
            .time(expiresAt)
        ) == 1
    }

    /// Returns whether the grant of a mailed link could get another code for an address.
    func awaitsRedemption(
        _ grant: Identifier,
        confirming address: ContactAddress,
        at now: Timestamp
    ) async throws(DatabaseError) -> Bool {
        try await !database.rows(
            """
            SELECT 1 FROM grants \
            WHERE id = $2 AND proven_address = $3 AND redeemed_at IS NULL AND \(Self.isAlive)
            """,
            .time(now),
            .identifier(grant),
            .text(address.value)
        ).isEmpty
    }
}
