/// The policy of an identity schema, from its member `latchkey`.
package struct SchemaPolicy: Sendable {
    /// Whether a new session is provisional until its device has a certificate.
    package var needsCertificate = false

    /// Whether users can register themselves.
    ///
    /// If not, only an operator creates identities. In the schema, the member `registration` is `anyone` or
    /// `operator`.
    package var isOpen = true

    /// The name of the required trait whose phone number must be verified by SMS before a registration is
    /// completed.
    ///
    /// The name is `nil` if there is no such trait.
    package var verifiedPhone: String?

    /// The minimum length of a password, in Unicode scalars.
    ///
    /// The value must be at least 1.
    package var minimumPasswordLength = 8

    /// Whether the most common passwords are rejected.
    ///
    /// By default, they are rejected if the minimum length is at least 8.
    package var refusesCommonPassword = true

    /// Whether a password that is too similar to a login identifier is rejected.
    package var refusesSimilarPassword = true

    /// Creates the policy for a schema without the member `latchkey`.
    package init() {}
}
