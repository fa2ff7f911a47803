package import LatchkeyServerKit

/// Methods for reading records from the `identities` table.
extension IdentityRecord {
    /// The value of the `state` column for an active identity.
    package static let active = Identity.State.active.rawValue

    /// Reads an identity from the first six columns of a row: `id`, `schema_id`, `state`, `body`, `duties` and
    /// `agreements`.
    package init(row: Row) throws(DatabaseError) {
        self.init(
            id: try row.identifier(0),
            schemaID: try row.text(1),
            isActive: try row.text(2) == Self.active,
            body: try row.blob(3),
            waived: try row.optional(4, as: Row.text),
            agreements: try row.optional(5, as: Row.text)
        )
    }
}
