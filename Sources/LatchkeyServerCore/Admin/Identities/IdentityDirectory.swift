import LatchkeyModel

/// Reads identities for operators: one by one with their credentials, or page by page without.
struct IdentityDirectory: Sendable {
    private let database: any Database
    private let schemas: SchemaCatalog

    init(_ context: ServerContext) {
        database = context.database
        schemas = context.schemas
    }

    /// An identity with what it logs in with.
    func find(_ id: Identifier) async throws -> AdministeredIdentity? {
        try await whole(
            await database.rows(
                """
                SELECT i.id, i.schema_id, i.state, i.body, i.metadata_admin, p.hash, p.created_at, p.updated_at \
                FROM identities i LEFT JOIN passwords p ON p.identity_id = i.id WHERE i.id = $1
                """,
                .identifier(id)
            ).first
        )
    }

    /// The identity that logs in with something.
    func find(identifier: String) async throws -> AdministeredIdentity? {
        try await whole(
            await database.rows(
                """
                SELECT i.id, i.schema_id, i.state, i.body, i.metadata_admin, p.hash, p.created_at, p.updated_at \
                FROM identifiers n JOIN identities i ON i.id = n.identity_id \
                LEFT JOIN passwords p ON p.identity_id = i.id WHERE n.identifier = $1
                """,
                .text(LoginIdentifier.normalize(identifier))
            ).first
        )
    }

    /// The identity that another system knows by a name.
    func find(externalID: String) async throws -> AdministeredIdentity? {
        try await whole(
            await database.rows(
                """
                SELECT i.id, i.schema_id, i.state, i.body, i.metadata_admin, p.hash, p.created_at, p.updated_at \
                FROM identities i LEFT JOIN passwords p ON p.identity_id = i.id WHERE i.external_id = $1
                """,
                .text(externalID)
            ).first
        )
    }

    /// A page of all identities, in the order of their ids.
    func page(_ request: PageRequest) async throws -> Page<AdministeredIdentity> {
        let found = try await database.rows(
            """
            SELECT id, schema_id, state, body, metadata_admin FROM identities WHERE id > $1 \
            ORDER BY id LIMIT $2 OFFSET $3
            """,
            .blob(request.key ?? []),
            .integer(Int64(request.size + 1)),
            .integer(Int64(request.offset))
        ).map(AdministeredIdentity.init(row:))
        return Page(found, request) { $0.record.id.bytes }
    }

    /// A page of the identities among some ids, in the order of their ids.
    func page(_ request: PageRequest, among ids: Set<Identifier>) async throws -> Page<AdministeredIdentity> {
        let wanted = ids.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            .drop { id in request.key.map { !$0.lexicographicallyPrecedes(id.bytes) } ?? false }
            .dropFirst(request.offset)
        var found: [AdministeredIdentity] = []
        for id in wanted where found.count <= request.size {
            let row = try await database.rows(
                "SELECT id, schema_id, state, body, metadata_admin FROM identities WHERE id = $1",
                .identifier(id)
            ).first
            if let row { found.append(try AdministeredIdentity(row: row)) }
        }
        return Page(found, request) { $0.record.id.bytes }
    }

    /// The same page with the credentials of its identities.
    func withCredentials(_ page: Page<AdministeredIdentity>) async throws -> Page<AdministeredIdentity> {
        var page = page
        for (index, identity) in page.entries.enumerated() {
            page.entries[index] = try await find(identity.record.id) ?? identity
        }
        return page
    }

    private func whole(_ row: Row?) async throws -> AdministeredIdentity? {
        guard let row else { return nil }
        var identity = try AdministeredIdentity(row: row)
        let identifiers = try await database.rows(
            "SELECT identifier FROM identifiers WHERE identity_id = $1 ORDER BY identifier",
            .identifier(identity.record.id)
        )
        let names = try identifiers.map { row in try row.text(0) }
        let schema = schemas[identity.record.schemaID]
        identity.credentials = (
            names,
            try AdministeredIdentity.Password(row: row, from: 5),
            AdministeredIdentity.CodeCredential(of: identity.record, schema, identifiers: names)
        )
        return identity
    }
}
