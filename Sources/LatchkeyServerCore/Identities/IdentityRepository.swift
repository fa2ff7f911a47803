package import LatchkeyModel

/// Where identities are kept.
package struct IdentityRepository: Sendable {
    /// An identity with what a login checks.
    package struct Account: Sendable {
        package let identity: IdentityRecord

        /// The PHC string of its password; nothing when it has none.
        package let passwordHash: String?
    }

    /// An identifier, an address or an external id that somebody has already.
    package struct Duplicate: Error, Sendable {}

    let database: any Database

    package init(_ context: ServerContext) {
        database = context.database
    }

    /// Finds who logs in with a normalized identifier.
    ///
    /// Where there is nobody, somebody who does not exist is looked for in their place, which takes as long.
    package func find(identifier: String) async throws -> Account? {
        let rows = try await database.rows(
            """
            SELECT i.id, i.schema_id, i.state, i.body, p.hash FROM \
            (SELECT COALESCE((SELECT identity_id FROM identifiers WHERE identifier = $1), $2) AS id) n \
            LEFT JOIN identities i ON i.id = n.id LEFT JOIN passwords p ON p.identity_id = n.id
            """,
            .text(identifier),
            .identifier(Identifier())
        )
        guard let row = rows.first, try row.optional(0, Row.identifier) != nil else { return nil }
        return Account(identity: try IdentityRecord(row: row), passwordHash: try row.optional(4, Row.text))
    }

    /// Finds an identity by its id.
    package func find(_ id: Identifier) async throws -> IdentityRecord? {
        try await database.rows(
            "SELECT id, schema_id, state, body FROM identities WHERE id = $1",
            .identifier(id)
        ).first.map(IdentityRecord.init(row:))
    }

    /// What an identity logs in with; the first of several.
    package func identifier(of identity: Identifier) async throws -> String? {
        let rows = try await database.rows(
            "SELECT identifier FROM identifiers WHERE identity_id = $1 ORDER BY identifier LIMIT 1",
            .identifier(identity)
        )
        return try rows.first?.text(0)
    }
}
