package import LatchkeyModel

/// Where identities are kept.
package struct IdentityRepository: Sendable {
    /// An identity with what a login checks.
    package struct Account: Sendable {
        package let identity: IdentityRecord

        /// The PHC string of its password; nothing when it has none.
        package let passwordHash: String?
    }

    /// An identifier or an address that somebody has already.
    package struct Duplicate: Error, Sendable {}

    private let database: any Database

    package init(_ context: ServerContext) {
        database = context.database
    }

    /// Finds who logs in with a normalized identifier.
    package func find(identifier: String) async throws -> Account? {
        let rows = try await database.rows(
            """
            SELECT i.id, i.schema_id, i.state, i.body, p.hash FROM identifiers n \
            JOIN identities i ON i.id = n.identity_id \
            LEFT JOIN passwords p ON p.identity_id = i.id WHERE n.identifier = $1
            """,
            .text(identifier)
        )
        return try rows.first.map { row in
            Account(identity: try IdentityRecord(row: row), passwordHash: try row.optional(4, Row.text))
        }
    }

    /// What an identity logs in with; the first of several.
    package func identifier(of identity: Identifier) async throws -> String? {
        let rows = try await database.rows(
            "SELECT identifier FROM identifiers WHERE identity_id = $1 ORDER BY identifier LIMIT 1",
            .identifier(identity)
        )
        return try rows.first?.text(0)
    }

    /// Keeps a new identity with all that belongs to it.
    ///
    /// Who has an identifier or an address is decided here, by its unique key; a ``Duplicate`` undoes everything.
    package static func insert(
        _ identity: Identity,
        passwordHash: String?,
        in transaction: borrowing Transaction
    ) throws {
        let record = identity.record
        try transaction.execute(
            """
            INSERT INTO identities (id, schema_id, state, traits, body, state_changed_at, created_at, updated_at) \
            VALUES ($1, $2, 'active', $3, $4, $5, $5, $5)
            """,
            .identifier(identity.id),
            .text(identity.schemaID),
            .blob(identity.traits.json),
            .blob(record.body),
            .time(identity.createdAt)
        )
        for identifier in identity.traits.identifiers {
            let inserted = try transaction.execute(
                "INSERT INTO identifiers (identifier, identity_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                .text(identifier),
                .identifier(identity.id)
            )
            guard inserted == 1 else { throw Duplicate() }
        }
        for address in identity.verifiable { try insert(address, of: identity, in: transaction) }
        for address in identity.recovery { try insert(address, of: identity, in: transaction) }
        guard let passwordHash else { return }
        try transaction.execute(
            "INSERT INTO passwords (identity_id, hash, updated_at) VALUES ($1, $2, $3)",
            .identifier(identity.id),
            .text(passwordHash),
            .time(identity.createdAt)
        )
    }

    /// Tells whether an identity may still be used and its password is still the one that was checked.
    ///
    /// The row is written to its own value: that is where a login meets a change of the password.
    package static func confirm(
        _ identity: Identifier,
        passwordHash: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE passwords SET hash = hash WHERE identity_id = $1 AND hash = $2 AND EXISTS \
            (SELECT 1 FROM identities i WHERE i.id = $1 AND i.state = 'active')
            """,
            .identifier(identity),
            .text(passwordHash)
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

    private static func insert(
        _ address: Identity.VerifiableAddress,
        of identity: Identity,
        in transaction: borrowing Transaction
    ) throws {
        let inserted = try transaction.execute(
            """
            INSERT INTO addresses (id, identity_id, kind, via, value, verified, status, verified_at, \
            created_at, updated_at) VALUES ($1, $2, 'verifiable', $3, $4, $5, $6, $7, $8, $8) \
            ON CONFLICT DO NOTHING
            """,
            .identifier(address.id),
            .identifier(identity.id),
            .text(address.address.via.rawValue),
            .text(address.address.value),
            .bool(address.verifiedAt != nil),
            .text(address.status),
            .time(address.verifiedAt),
            .time(identity.createdAt)
        )
        guard inserted == 1 else { throw Duplicate() }
    }

    private static func insert(
        _ address: Identity.RecoveryAddress,
        of identity: Identity,
        in transaction: borrowing Transaction
    ) throws {
        let inserted = try transaction.execute(
            """
            INSERT INTO addresses (id, identity_id, kind, via, value, verified, status, created_at, updated_at) \
            VALUES ($1, $2, 'recovery', $3, $4, 0, 'pending', $5, $5) ON CONFLICT DO NOTHING
            """,
            .identifier(address.id),
            .identifier(identity.id),
            .text(address.address.via.rawValue),
            .text(address.address.value),
            .time(identity.createdAt)
        )
        guard inserted == 1 else { throw Duplicate() }
    }
}
