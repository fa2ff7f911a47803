package import LatchkeyModel

/// The stored part of an identity that responses about sessions include.
package struct IdentityRecord: Sendable {
    /// The id of the identity.
    package let id: Identifier
    /// The id of the schema, from which `schema_url` is derived when a response is written.
    package let schemaID: String

    /// Whether the identity is active, and not deactivated by an operator.
    package let isActive: Bool

    /// The pre-rendered JSON members that follow `schema_url` in a response.
    package let body: [UInt8]

    /// Creates a record; `body` must be the members of a JSON object without its braces.
    package init(id: Identifier, schemaID: String, isActive: Bool, body: [UInt8]) {
        self.id = id
        self.schemaID = schemaID
        self.isActive = isActive
        self.body = body
    }
}
