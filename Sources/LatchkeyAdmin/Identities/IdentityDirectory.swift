package import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit

/// Reads identities for operators: single identities with credentials, or pages of identities without them.
///
/// The queries of one call do not share a transaction, so a concurrent change may be visible in only some of
/// them.
package struct IdentityDirectory: Sendable {
    /// The columns from which an identity is read, for queries in which `i` is the alias of its table.
    private static let columns: SQL = "i.id, i.schema_id, i.state, i.body, i.metadata_admin, i.deletion_at"

    /// The columns from which an identity with its password is read.
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
    ///   - database: The database, which is read without a transaction.
    ///   - schemas: The schemas from which the code credentials of identities are derived.
    package init(database: any Database, schemas: SchemaCatalog) {
        self.database = database
        self.schemas = schemas
    }

    /// Finds an identity by its id, and includes its credentials.
    ///
    /// - Returns: The identity, active or not; `nil` if it does not exist.
    /// - Throws: ``DatabaseError``.
    func find(_ id: Identifier) async throws -> AdministeredIdentity? {
        try await whole(
            await database.rows(
                Self.byID,
                .identifier(id)
            ).first
        )
    }

    /// Finds an identity by a login identifier, which is normalized before the lookup, and includes the
    /// credentials.
    ///
    /// Only complete identifiers match. A released address is no longer an identifier.
    ///
    /// - Returns: The identity, active or not; `nil` if it does not exist.
    /// - Throws: ``DatabaseError``.
    func find(identifier: String) async throws -> AdministeredIdentity? {
        try await whole(
            await database.rows(
                Self.byIdentifier,
                .text(LoginIdentifier.normalize(identifier))
            ).first
        )
    }

    /// Finds an identity by its external id, which is compared without normalization, and includes the
    /// credentials.
    ///
    /// - Returns: The identity, active or not; `nil` if it does not exist.
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
    /// - Parameter request: The requested page, which may be given by number.
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

    /// Returns a page of the identities with the given ids, sorted by id, and skips ids without an identity.
    ///
    /// - Parameters:
    ///   - request: The requested page. Page numbers refer to the list of ids, including those without an
    ///     identity.
    ///   - ids: The requested ids, each of which is read by a separate query.
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

    /// Returns a copy of the page that includes the credentials of its identities.
    ///
    /// Each identity is read again. An identity that was deleted in the meantime is returned without
    /// credentials.
    func withCredentials(_ page: Page<AdministeredIdentity>) async throws -> Page<AdministeredIdentity> {
        var page = page
        for (index, identity) in page.entries.enumerated() {
            page.entries[index] = try await find(identity.record.id) ?? identity
        }
        return page
    }

    /// Returns the identity with its credentials; the row must include the password columns, starting at
    /// index 6.
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
            try AdministeredIdentity.Password(row: row, from: 6),
            AdministeredIdentity.CodeCredential(of: identity.record, schema, identifiers: names)
        )
        return identity
    }
}
