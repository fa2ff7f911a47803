package import LatchkeyModel
package import LatchkeyServerKit

extension IdentityRepository {
    private static let accountAndDecoy: SQL = """
        SELECT \(accountColumns), COALESCE(\
        (SELECT hash FROM passwords WHERE identity_id >= $3 ORDER BY identity_id LIMIT 1), \
        (SELECT hash FROM passwords ORDER BY identity_id LIMIT 1)) \(fromIdentifier)
        """

    /// Finds the account with the given identifier.
    ///
    /// To make all lookups take the same time, the query also reads the password hash of another account as a
    /// decoy. The account may be inactive.
    ///
    /// - Parameters:
    ///   - identifier: The normalized identifier.
    ///   - point: Where to start searching for a decoy; see ``DecoyHashes/point(for:)``. We use the account
    ///     with the lowest id that isn't below this point. If there is none, we use the account with the
    ///     lowest id.
    /// - Returns: The account, or `nil` if the identifier is unknown, and the decoy hash, or `nil` if no
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
        return (try Account(row: row), try row.optional(7, as: Row.text))
    }

    /// Returns an identity's password hash as a PHC string, or `nil` if the identity has no password.
    ///
    /// The row isn't locked. ``confirm(_:identifier:passwordHash:in:)`` checks later that the hash is still
    /// the same.
    package static func passwordHash(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> String? {
        try transaction.rows("SELECT hash FROM passwords WHERE identity_id = $1", .identifier(identity))
            .first?.text(0)
    }

    /// Sets or replaces an identity's password.
    ///
    /// The caller must revoke the identity's sessions.
    ///
    /// - Parameters:
    ///   - hash: The password hash as a PHC string.
    ///   - identity: The identity's id.
    ///   - now: The time of the change.
    ///   - transaction: The database transaction that the hash is written in.
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

    /// Returns the times at which an identity's password was first set and last changed, or `nil` if it has
    /// no password.
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

    /// Deletes an identity's password.
    ///
    /// The identity's sessions aren't affected.
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
    /// We lock the identity's row with an update that doesn't change anything. A concurrent password change,
    /// recovery or takeover writes to the same row and therefore conflicts with the login.
    ///
    /// - Parameters:
    ///   - identity: The identity's id.
    ///   - identifier: The normalized identifier that was used for the login.
    ///   - passwordHash: The PHC string that the password was verified against.
    ///   - transaction: The database transaction that creates the session.
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

    /// Returns whether an identity is still active when a login without a password is completed.
    ///
    /// We lock the identity's row with an update that doesn't change anything, so a concurrent deactivation
    /// conflicts with the login.
    package static func confirm(
        _ identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            "UPDATE identities SET state = state WHERE id = $1 AND state = 'active'",
            .identifier(identity)
        ) == 1
    }

    /// Replaces an outdated password hash with one that uses the configured parameters.
    ///
    /// This method has no effect if the password was changed in the meantime. The identity's row isn't
    /// written to. The time of the last change stays the same, because the user hasn't changed the password.
    ///
    /// - Parameters:
    ///   - identity: The identity's id.
    ///   - old: The stored hash that the password was verified against.
    ///   - new: The new hash as a PHC string.
    ///   - transaction: The database transaction that the hash is written in.
    /// - Throws: ``DatabaseError``.
    package static func rehash(
        _ identity: Identifier,
        from old: String,
        to new: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "UPDATE passwords SET hash = $1 WHERE identity_id = $2 AND hash = $3",
            .text(new),
            .identifier(identity),
            .text(old)
        )
    }
}
