package import LatchkeyModel
package import LatchkeyServerKit

/// Counts accounts.
package enum AccountCounts {
    /// Returns the number of active accounts or, for a client, of those with an active session of the client.
    ///
    /// The database reads all of them, so this is only for an operator's request.
    package static func accounts(
        of client: String?,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        guard let client else {
            let rows = try transaction.rows("SELECT COUNT(*) FROM identities WHERE state = 'active'")
            return Int(try rows.first?.integer(0) ?? 0)
        }
        let rows = try transaction.rows(
            """
            SELECT COUNT(DISTINCT identity_id) FROM sessions \
            WHERE client_id = $1 AND revoked_at IS NULL AND expires_at > $2
            """,
            .text(client),
            .time(now)
        )
        return Int(try rows.first?.integer(0) ?? 0)
    }
}
