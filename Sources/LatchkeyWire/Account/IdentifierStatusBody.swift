/// A request for the status of an identifier.
package struct IdentifierStatusRequest: DocumentedBody, Hashable {
    /// A phone number or an e-mail address.
    package var identifier: String

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case identifier
    }

    package static let schema = JSONSchema.object([.required(CodingKeys.identifier, .text)])

    package init(identifier: String) {
        self.identifier = identifier
    }
}

/// Whether accounts have an identifier.
package struct IdentifierStatusBody: DocumentedBody, Hashable {
    /// Whether an account has the identifier.
    package var exists: Bool
    /// Whether the identifier is proven on that account.
    package var verified: Bool
    /// Whether a user who proves the identifier can sign up with it.
    ///
    /// An identifier that is only claimed is still available.
    package var available: Bool

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case exists, verified, available
    }

    package static let schema = JSONSchema.component(
        "IdentifierStatus",
        summary: "Whether accounts have an identifier.",
        members: [
            .required(CodingKeys.exists, .boolean), .required(CodingKeys.verified, .boolean),
            .required(CodingKeys.available, .boolean),
        ]
    )

    package init(exists: Bool, verified: Bool) {
        (self.exists, self.verified, available) = (exists, verified, !verified)
    }
}
