package import LatchkeyModel
package import LatchkeyServerKit

extension IdentityRepository {
    private static let accountAndDecoy: SQL = """
        SELECT \(accountColumns), COALESCE(\
        (SELECT hash FROM passwords WHERE identity_id >= $3 ORDER BY identity_id LIMIT 1), \
        (SELECT hash FROM passwords ORDER BY identity_id LIMIT 1)) \(fromIdentifier)
        """

    /// Finds the account with an identifier.
    ///
    /// The same query also reads the password hash of another account as a decoy.
    ///
    /// The account may be inactive.
    ///
    /// - Parameters:
    ///   - identifier: The normalized identifier.
    ///   - point: The start of the search for the decoy; see ``DecoyHashes/point(for:)``. The decoy belongs
    ///     to the account with the lowest id at or above this point or, if there is none, to the account with
    ///     the lowest id of all.
    /// - Returns: The account, which is `nil` if there is none, and the decoy hash, which is `nil` if no
    ///   account has a password.
    /// - Throws: ``DatabaseError``.
    package func findForPassword(
        identifier: String,
        decoyFrom point: [UInt8]
    ) async throws -> (account: Account?, decoy: String?) {
        let rows = try await database.rows(
            Self.accountAndDecoy,
            .text(identifier),
            .identifier(Identifier()),
            .blob(point)
        )
        guard let row = rows.first else { return (nil, nil) }
        return (try Account(row: row), try row.optional(5, as: Row.text))
    }

    /// Returns the PHC string of an identity's password, or `nil` if the identity has none.
    ///
    /// The row is not locked; ``confirm(_:identifier:passwordHash:in:)`` checks the hash again.
    package static func passwordHash(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> String? {
        try transaction.rows("SELECT hash FROM passwords WHERE identity_id = $1", .identifier(identity))
            .first?.text(0)
    }

    /// Sets or replaces the password of an identity.
    ///
    /// The caller must revoke the sessions of the identity.
    ///
    /// - Parameters:
    ///   - hash: The hash of the password, as a PHC string.
    ///   - identity: The id of the identity.
    ///   - now: The time of the change.
    ///   - transaction: The transaction to write in.
    /// - Throws: ``DatabaseError``.
    package static func setPassword(
        _ hash: String,
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO passwords (identity_id, hash, created_at, updated_at) VALUES ($1, $2, $3, $3) \
            ON CONFLICT (identity_id) DO UPDATE SET hash = excluded.hash, updated_at = excluded.updated_at
            """,
            .identifier(identity),
            .text(hash),
            .time(now)
        )
    }

    /// Returns the times at which the password of an identity was first set and last changed; `nil` if it has no
    /// password.
    ///
    /// - Throws: ``DatabaseError``.
    static func passwordTimes(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> (createdAt: Timestamp, updatedAt: Timestamp)? {
        let rows = try transaction.rows(
            "SELECT created_at, updated_at FROM passwords WHERE identity_id = $1",
            .identifier(identity)
        )
        guard let row = rows.first else { return nil }
        return (try row.time(0), try row.time(1))
    }

    /// Deletes the password of an identity.
    ///
    /// Sessions of the account are not affected.
    ///
    /// - Returns: Whether the identity had a password.
    /// - Throws: ``DatabaseError``.
    package static func removePassword(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute("DELETE FROM passwords WHERE identity_id = $1", .identifier(identity)) == 1
    }

    /// Returns whether an identity is active and still has the identifier and the password that a login has
    /// verified.
    ///
    /// A no-op update locks the row of the identity. A concurrent password change, recovery or takeover
    /// writes the same row and therefore conflicts with the login.
    ///
    /// - Parameters:
    ///   - identity: The id of the identity.
    ///   - identifier: The normalized identifier that was used for the login.
    ///   - passwordHash: The PHC string that the password was verified against.
    ///   - transaction: The transaction that opens the session.
    /// - Returns: `false` if the login must be rejected.
    /// - Throws: ``DatabaseError``.
    package static func confirm(
        _ identity: Identifier,
        identifier: String,
        passwordHash: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE identities SET state = state WHERE id = $1 AND state = 'active' \
            AND EXISTS (SELECT 1 FROM passwords WHERE identity_id = $1 AND hash = $2) \
            AND EXISTS (SELECT 1 FROM identifiers WHERE identifier = $3 AND identity_id = $1)
            """,
            .identifier(identity),
            .text(passwordHash),
            .text(identifier)
        ) == 1
    }

    /// Returns whether an identity is active, for a login without a password.
    ///
    /// A no-op update locks the row of the identity, so a concurrent deactivation conflicts with the login.
    package static func confirm(
        _ identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            "UPDATE identities SET state = state WHERE id = $1 AND state = 'active'",
            .identifier(identity)
        ) == 1
    }

    /// Replaces an outdated password hash with a hash that uses the configured parameters.
    ///
    /// If the password was changed in the meantime, the call has no effect. The row of the identity is not
    /// written.
    ///
    /// - Parameters:
    ///   - identity: The id of the identity.
    ///   - old: The stored hash against which the password was verified.
    ///   - new: The new PHC string.
    ///   - now: The time of the change.
    ///   - transaction: The transaction to write in.
    /// - Throws: ``DatabaseError``.
    package static func rehash(
        _ identity: Identifier,
        from old: String,
        to new: String,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "UPDATE passwords SET hash = $1, updated_at = $2 WHERE identity_id = $3 AND hash = $4",
            .text(new),
            .time(now),
            .identifier(identity),
            .text(old)
        )
    }
}
