package import LatchkeyAccounts
package import LatchkeyServerKit

/// Settings for registration.
public struct RegistrationSettings: Sendable {
    /// Whether users can register.
    ///
    /// If registration is disabled, flows that have already started don't accept submissions either.
    public var isEnabled = true

    /// The identity schemas that users can register with.
    ///
    /// If the list is empty, users can only register with the default schema.
    public var schemas: [String] = []

    /// Whether users fill in everything in one form, or first their traits and then a credential.
    public var style = RegistrationStyle.unified

    /// Whether a registration creates a session.
    public var opensSession = true

    /// Whether a registration sends verification codes to addresses that it hasn't verified.
    ///
    /// The setting has no effect if verification is disabled.
    public var sendsVerification = true

    /// How to handle a registration with a code if another account has already verified the address.
    public var existingAccount = ExistingAccountRule.refuse

    /// Whether the error for a duplicate registration lists the login methods of the existing account.
    public var showsLoginHints = false

    /// Creates settings with their default values.
    public init() {}

    /// Returns whether users can register with a schema.
    ///
    /// Registration must be enabled, and both the schema and the operator must allow it.
    package func isOpen(for schema: IdentitySchema, standard: IdentitySchema) -> Bool {
        isEnabled && schema.policy.isOpen
            && (schemas.isEmpty ? schema.id == standard.id : schemas.contains(schema.id))
    }

    /// The configuration settings for registration.
    package static let settings: [Setting<RegistrationSettings>] = [
        Setting(
            "identities.registration",
            member: \.isEnabled,
            kind: .toggle,
            summary: "Whether users may register."
        ),
        Setting(
            "registration.schemas",
            member: \.schemas,
            kind: .list,
            summary: "The identity schemas that users may register with. Defaults to the default schema only."
        ),
        Setting(
            "registration.style",
            member: \.style,
            kind: .choice,
            summary:
                "How registration presents its fields: all in one form, or first the traits and then a credential."
        ),
        Setting(
            "registration.session",
            member: \.opensSession,
            kind: .toggle,
            summary: "Whether a registration creates a session."
        ),
        Setting(
            "registration.verification",
            member: \.sendsVerification,
            kind: .toggle,
            summary:
                "Whether a registration sends verification codes to addresses that were not verified during registration."
        ),
        Setting(
            "registration.existing",
            member: \.existingAccount,
            kind: .choice,
            summary:
                "How to handle a sign-up by code if another account has already verified the address: refuse rejects the sign-up, log_in logs the user in to that account."
        ),
        Setting(
            "registration.login_hints",
            member: \.showsLoginHints,
            kind: .toggle,
            summary:
                "Whether the error for a duplicate registration lists the login methods of the existing account."
        ),
    ]
}
