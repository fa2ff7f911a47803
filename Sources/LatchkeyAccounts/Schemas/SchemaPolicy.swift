/// The policy from the `latchkey` member of an identity schema.
package struct SchemaPolicy: Sendable {
    /// Whether a new session is provisional until its device has a certificate.
    package var needsCertificate = false

    /// Whether users can register themselves.
    ///
    /// If registration isn't open, only operators can create identities.
    ///
    /// In the schema, the `registration` member is either `anyone` or `operator`.
    package var isOpen = true

    /// The name of the required trait that contains a phone number, which must be verified by SMS before a
    /// registration can be completed.
    ///
    /// `nil` if there is no such trait.
    package var verifiedPhone: String?

    /// The minimum length of a password in Unicode scalars.
    ///
    /// The value must be at least 1.
    package var minimumPasswordLength = 8

    /// Whether the most common passwords are rejected.
    ///
    /// By default, common passwords are rejected if the minimum length is at least 8.
    package var refusesCommonPassword = true

    /// Whether passwords that are too similar to a login identifier are rejected.
    package var refusesSimilarPassword = true

    /// Creates the policy of a schema that has no `latchkey` member.
    package init() {}
}
