import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// Reads identities for operators.
///
/// Single identities include their credentials, but pages of identities don't. The queries of one call don't
/// run in a transaction, so a concurrent change may be visible to only some of them.
struct IdentityDirectory: Sendable {
    /// The columns that an identity is read from.
    ///
    /// Queries use `i` as the alias of the `identities` table.
    private static let columns: SQL = """
        i.id, i.schema_id, i.state, i.body, i.duties, i.agreements, i.metadata_admin, i.deletion_at
        """

    /// The columns that an identity and its password are read from.
    private static let columnsWithPassword: SQL = "\(columns), p.hash, p.created_at, p.updated_at"

    private static let byID: SQL = """
        SELECT \(columnsWithPassword) \
        FROM identities i LEFT JOIN passwords p ON p.identity_id = i.id WHERE i.id = $1
        """

    private static let byIdentifier: SQL = """
        SELECT \(columnsWithPassword) \
        FROM identifiers n JOIN identities i ON i.id = n.identity_id \
        LEFT JOIN passwords p ON p.identity_id = i.id WHERE n.identifier = $1
        """

    private static let byExternalID: SQL = """
        SELECT \(columnsWithPassword) \
        FROM identities i LEFT JOIN passwords p ON p.identity_id = i.id WHERE i.external_id = $1
        """

    private static let page: SQL =
        "SELECT \(columns) FROM identities i WHERE i.id > $1 ORDER BY i.id LIMIT $2 OFFSET $3"

    private static let byIDWithoutPassword: SQL = "SELECT \(columns) FROM identities i WHERE i.id = $1"

    private let database: any Database
    private let schemas: SchemaCatalog

    /// Creates a directory.
    ///
    /// - Parameters:
    ///   - database: The database, which is read outside of transactions.
    ///   - schemas: The schemas that determine which addresses can receive login codes.
    init(database: any Database, schemas: SchemaCatalog) {
        self.database = database
        self.schemas = schemas
    }

    /// Returns the identity with the given id, including its credentials.
    ///
    /// - Returns: The identity, which may be inactive, or `nil` if it doesn't exist.
    /// - Throws: ``DatabaseError``.
    func find(_ id: Identifier) async throws -> AdministeredIdentity? {
        try await whole(
            await database.rows(
                Self.byID,
                .identifier(id)
            ).first
        )
    }

    /// Returns the identity with the given login identifier, including its credentials.
    ///
    /// The identifier is normalized first. Only complete identifiers match. A released address is no longer
    /// an identifier.
    ///
    /// - Returns: The identity, which may be inactive, or `nil` if it doesn't exist.
    /// - Throws: ``DatabaseError``.
    func find(identifier: String) async throws -> AdministeredIdentity? {
        try await whole(
            await database.rows(
                Self.byIdentifier,
                .text(LoginIdentifier.normalize(identifier))
            ).first
        )
    }

    /// Returns the identity with the given external id, including its credentials.
    ///
    /// External ids are compared without normalization.
    ///
    /// - Returns: The identity, which may be inactive, or `nil` if it doesn't exist.
    /// - Throws: ``DatabaseError``.
    func find(externalID: String) async throws -> AdministeredIdentity? {
        try await whole(
            await database.rows(
                Self.byExternalID,
                .text(externalID)
            ).first
        )
    }

    /// Returns a page of all identities, sorted by id.
    ///
    /// - Parameter request: The requested page, which may be specified by its number.
    /// - Returns: The identities without their credentials.
    /// - Throws: ``DatabaseError``.
    func page(_ request: PageRequest) async throws -> Page<AdministeredIdentity> {
        let found = try await database.rows(
            Self.page,
            .blob(request.key ?? []),
            .integer(Int64(request.size + 1)),
            .integer(Int64(request.offset))
        ).map(AdministeredIdentity.init(row:))
        return Page(found, for: request) { $0.record.id.bytes }
    }

    /// Returns a page of the identities with the given ids, sorted by id.
    ///
    /// Unknown ids are skipped.
    ///
    /// - Parameters:
    ///   - request: The requested page. Page numbers refer to the list of ids, including unknown ids.
    ///   - ids: The requested ids. Each identity is read in a separate query.
    /// - Returns: The identities without their credentials.
    /// - Throws: ``DatabaseError``.
    func page(_ request: PageRequest, among ids: Set<Identifier>) async throws -> Page<AdministeredIdentity> {
        let wanted = ids.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            .drop { id in request.key.map { !$0.lexicographicallyPrecedes(id.bytes) } ?? false }
            .dropFirst(request.offset)
        var found: [AdministeredIdentity] = []
        for id in wanted where found.count <= request.size {
            let row = try await database.rows(
                Self.byIDWithoutPassword,
                .identifier(id)
            ).first
            if let row { found.append(try AdministeredIdentity(row: row)) }
        }
        return Page(found, for: request) { $0.record.id.bytes }
    }

    /// Returns a copy of a page in which the identities include their credentials.
    ///
    /// We read each identity again. If an identity has been deleted in the meantime, it is returned without
    /// credentials.
    func withCredentials(_ page: Page<AdministeredIdentity>) async throws -> Page<AdministeredIdentity> {
        var page = page
        for (index, identity) in page.entries.enumerated() {
            page.entries[index] = try await find(identity.record.id) ?? identity
        }
        return page
    }

    /// Reads an identity and its credentials.
    ///
    /// The row must contain the password columns, starting at index 6.
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
            try AdministeredIdentity.Password(row: row, from: 8),
            AdministeredIdentity.CodeCredential(of: identity.record, schema, identifiers: names)
        )
        return identity
    }
}
