package import LatchkeyModel

/// The stored properties of an identity that are included in responses about sessions.
package struct IdentityRecord: Sendable {
    /// The id of the identity.
    package let id: Identifier
    /// The id of the identity's schema.
    ///
    /// Responses contain a `schema_url` that is derived from this id.
    package let schemaID: String

    /// Whether the identity is active, meaning that no operator has deactivated it.
    package let isActive: Bool

    /// The pre-rendered JSON members that come after `schema_url` in a response.
    package let body: [UInt8]

    /// The names of the fields that the account lost, one per line, or `nil` if it hasn't lost any.
    ///
    /// The text is empty if the user has to add an address, but no field was removed.
    package let waived: String?

    /// The versions of documents that the user has answered; see ``Agreements``.
    ///
    /// `nil` if there are none, or if the record doesn't come from a query.
    package let agreements: String?

    /// Creates a record.
    ///
    /// `body` must contain the members of a JSON object, without the braces.
    package init(
        id: Identifier,
        schemaID: String,
        isActive: Bool,
        body: [UInt8],
        waived: String? = nil,
        agreements: String? = nil
    ) {
        self.id = id
        self.schemaID = schemaID
        self.isActive = isActive
        self.body = body
        self.waived = waived
        self.agreements = agreements
    }
}
