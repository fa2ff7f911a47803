/// The policy of an identity schema beyond its traits, from its member `latchkey`.
package struct SchemaPolicy: Sendable {
    /// Whether a new session is provisional until its device has a certificate.
    package var needsCertificate = false

    /// Whether users can register themselves; if `false`, only an operator creates identities.
    package var isOpen = true

    /// The name of the trait whose phone number must be verified before the registration ends; `nil` if there
    /// is none.
    package var verifiedPhone: String?

    /// The minimum length of a password, in Unicode scalars.
    package var minimumPasswordLength = 8

    /// Whether the most common passwords are refused; by default, if the minimum length is eight or more.
    package var refusesCommonPassword = true

    /// Whether a password that is too similar to a login identifier is refused.
    package var refusesSimilarPassword = true

    package init() {}
}
