package import LatchkeyModel

/// What a session's answer says about its identity, as it is kept.
package struct IdentityRecord: Sendable {
    static let active = Identity.State.active.rawValue

    package let id: Identifier
    package let schemaID: String

    /// Whether the identity may be used; an operator can disable it.
    package let isActive: Bool

    /// The JSON members of the identity after `schema_url`, so that an answer is made by appending bytes.
    package let body: [UInt8]

    package init(id: Identifier, schemaID: String, isActive: Bool, body: [UInt8]) {
        self.id = id
        self.schemaID = schemaID
        self.isActive = isActive
        self.body = body
    }
}

extension IdentityRecord {
    /// Reads an identity from the columns id, schema_id, state and body, the first four.
    init(row: Row) throws(DatabaseError) {
        self.init(
            id: try row.identifier(0),
            schemaID: try row.text(1),
            isActive: try row.text(2) == Self.active,
            body: try row.blob(3)
        )
    }
}
