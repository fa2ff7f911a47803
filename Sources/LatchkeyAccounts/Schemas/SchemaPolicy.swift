/// The policy of an identity schema, from its member `latchkey`.
package struct SchemaPolicy: Sendable {
    /// Whether a new session is provisional until its device has a certificate.
    package var needsCertificate = false

    /// Whether users can register themselves; if `false`, only an operator creates identities.
    ///
    /// In the schema, the member `registration` must be `anyone` or `operator`.
    package var isOpen = true

    /// The name of the trait whose phone number must be verified before registration is completed; `nil` if
    /// there is none.
    ///
    /// The trait is required and verified by SMS.
    package var verifiedPhone: String?

    /// The minimum length of a password, in Unicode scalars.
    ///
    /// Must be at least 1.
    package var minimumPasswordLength = 8

    /// Whether the most common passwords are rejected; by default, `true` if the minimum length is at least
    /// 8.
    package var refusesCommonPassword = true

    /// Whether a password that is too similar to a login identifier is rejected.
    package var refusesSimilarPassword = true

    /// Creates the policy for a schema without the member `latchkey`.
    package init() {}
}
