/// What an identity schema decides beyond traits, in its member `latchkey`.
package struct SchemaPolicy: Sendable {
    /// Whether a session of such an identity waits for the certificate of its device.
    package var needsCertificate = false

    /// Whether people register themselves; otherwise an operator makes the identities.
    package var isOpen = true

    /// The trait whose phone number must be verified before registration ends.
    package var verifiedPhone: String?

    /// The shortest password, in characters.
    package var minimumPasswordLength = 8

    /// Whether the most common passwords are refused; by default, where passwords have eight characters or more.
    package var refusesCommonPassword = true

    /// Whether a password that is too much like an identifier is refused.
    package var refusesSimilarPassword = true

    package init() {}
}
