package import LatchkeyModel

extension IdentityRepository {
    /// Finds the account of a normalized identifier, and the password hash of another account in one read.
    ///
    /// - Parameters:
    ///   - identifier: The identifier.
    ///   - point: Where the search for the other account begins: the first id that is not below, or else the lowest.
    /// - Returns: The account, or `nil` if there is none; and the hash, or `nil` if no account has a password.
    /// - Throws: ``DatabaseError``.
    func findForPassword(
        identifier: String,
        decoyFrom point: [UInt8]
    ) async throws -> (account: Account?, decoy: String?) {
        let rows = try await database.rows(
            """
            SELECT i.id, i.schema_id, i.state, i.body, p.hash, COALESCE(\
            (SELECT hash FROM passwords WHERE identity_id >= $3 ORDER BY identity_id LIMIT 1), \
            (SELECT hash FROM passwords ORDER BY identity_id LIMIT 1)) FROM \
            (SELECT COALESCE((SELECT identity_id FROM identifiers WHERE identifier = $1), $2) AS id) n \
            LEFT JOIN identities i ON i.id = n.id LEFT JOIN passwords p ON p.identity_id = n.id
            """,
            .text(identifier),
            .identifier(Identifier()),
            .blob(point)
        )
        guard let row = rows.first else { return (nil, nil) }
        return (try Account(row: row), try row.optional(5, Row.text))
    }

    /// The PHC string of an identity's password; nothing when it has none.
    package static func passwordHash(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> String? {
        try transaction.rows("SELECT hash FROM passwords WHERE identity_id = $1", .identifier(identity))
            .first?.text(0)
    }

    /// Gives an identity a password, or another one.
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

    /// Takes an identity's password away.
    ///
    /// - Returns: Whether it had one.
    package static func removePassword(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute("DELETE FROM passwords WHERE identity_id = $1", .identifier(identity)) == 1
    }

    /// Returns whether an identity is active, and still has the identifier and the password that a login has checked.
    ///
    /// The identity's row is locked: there, a login meets a change of the password, a recovery and a reclaim, which all
    /// write that row.
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

    /// Tells whether an identity may still be used, for a login without a password.
    ///
    /// The row is written to its own value: that is where such a login meets whoever closes the account.
    package static func confirm(
        _ identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            "UPDATE identities SET state = state WHERE id = $1 AND state = 'active'",
            .identifier(identity)
        ) == 1
    }

    /// Puts a hash made with the configured parameters in place of an outdated one of the same password.
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
