package import LatchkeyModel
package import LatchkeyServerKit

/// The stored part of an identity that responses about sessions include.
package struct IdentityRecord: Sendable {
    /// The value of the column `state` of an active identity.
    package static let active = Identity.State.active.rawValue

    /// The id of the identity.
    package let id: Identifier
    /// The id of the schema, from which `schema_url` is derived when the record is written.
    package let schemaID: String

    /// Whether the identity may be used; an operator can deactivate it.
    package let isActive: Bool

    /// The pre-rendered JSON members that follow `schema_url`, so that a response is written by appending
    /// bytes.
    package let body: [UInt8]

    /// Creates a record; `body` must be the members of a JSON object without its braces.
    package init(id: Identifier, schemaID: String, isActive: Bool, body: [UInt8]) {
        self.id = id
        self.schemaID = schemaID
        self.isActive = isActive
        self.body = body
    }
}

extension IdentityRecord {
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
