package import LatchkeyModel

/// Where identities are kept.
package struct IdentityRepository: Sendable {
    /// An identity with what a login checks.
    package struct Account: Sendable {
        package let identity: IdentityRecord

        /// The PHC string of its password; `nil` if it has none.
        package let passwordHash: String?
    }

    /// An identifier, an address or an external id that somebody has already.
    package struct Duplicate: Error, Sendable {}

    let database: any Database

    package init(_ context: ServerContext) {
        database = context.database
    }

    /// Finds the account of a normalized identifier.
    ///
    /// If there is none, a random account is looked up, which takes as long.
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
        return try rows.first.flatMap(Account.init(row:))
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

extension IdentityRepository.Account {
    /// Reads an account from the columns of an identity and the hash of its password, the first five.
    ///
    /// - Returns: `nil` if there is no identity.
    init?(row: Row) throws(DatabaseError) {
        guard try row.optional(0, Row.identifier) != nil else { return nil }
        self.init(identity: try IdentityRecord(row: row), passwordHash: try row.optional(4, Row.text))
    }
}
