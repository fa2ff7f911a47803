package import LatchkeyServerKit

/// The columns of the table `identities` from which a record is read.
extension IdentityRecord {
    /// The value of the column `state` for an active identity.
    package static let active = Identity.State.active.rawValue

    /// Reads an identity from the first four columns of a row: id, schema_id, state and body.
    package init(row: Row) throws(DatabaseError) {
        self.init(
            id: try row.identifier(0),
            schemaID: try row.text(1),
            isActive: try row.text(2) == Self.active,
            body: try row.blob(3)
        )
    }
}
