package import LatchkeyAccounts

/// The methods that a flow offers, as configured by the operator and the identity schema.
package struct FlowMethods: Hashable, Sendable {
    /// The Kratos methods that this server does not support; they are rejected as disabled, not as unknown.
    private static let others: Set<String> = ["oidc", "saml"]

    /// Whether the flow accepts a password.
    ///
    /// Logins, registrations and settings accept one unless the operator has disabled passwords.
    package let password: Bool
    /// Whether the flow sends and accepts one-time codes.
    package let code: Bool
    /// Whether the flow accepts traits without a credential, as settings and two-step registrations do.
    package let profile: Bool

    /// Creates the set of methods for a kind of flow.
    ///
    /// Recoveries and verifications have the method `code` even if the operator has disabled logins with
    /// codes.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - schema: The identity schema; codes require a field with an address to send them to.
    ///   - settings: The enabled methods, and the style of registrations.
    package init(_ kind: FlowKind, schema: IdentitySchema, settings: FormSettings) {
        let hasCodes = settings.isCodeEnabled && schema.fields.contains { $0.schema.codeChannel != nil }
        switch kind {
        case .login: (password, code, profile) = (settings.isPasswordEnabled, hasCodes, false)
        case .registration:
            (password, code) = (settings.isPasswordEnabled, hasCodes)
            profile = settings.registrationStyle == .profileFirst
        case .settings: (password, code, profile) = (settings.isPasswordEnabled, false, true)
        case .recovery, .verification: (password, code, profile) = (false, true, false)
        }
    }

    /// Creates a set of methods regardless of the settings.
    private init(password: Bool, code: Bool, profile: Bool) {
        (self.password, self.code, self.profile) = (password, code, profile)
    }

    /// Returns the methods of a flow; a flow that requests `aal2` has none, because no second factor is
    /// supported yet.
    package static func through(_ flow: Flow, schema: IdentitySchema, settings: FormSettings)
        -> FlowMethods
    {
        guard flow.requestedAAL == .aal1 else {
            return FlowMethods(password: false, code: false, profile: false)
        }
        return FlowMethods(flow.kind, schema: schema, settings: settings)
    }

    /// Returns the method that a submission names; pass `nil` for a submission that names none.
    func method(_ name: String?) -> FlowMethod {
        switch name {
        case "password"?: password ? .password : .disabled
        case "code"?: code ? .code : .disabled
        case "profile"?: profile ? .profile : .disabled
        case let name? where Self.others.contains(name): .disabled
        default: .unknown
        }
    }
}

/// The method of a submission, checked against the methods that the flow offers.
enum FlowMethod {
    /// The password of a login, or the new password of a registration or a settings change.
    case password
    /// A one-time code, which the submission requests or contains.
    case code
    /// Traits without a credential.
    case profile

    /// A known method that the flow does not offer.
    case disabled

    /// An unknown method, or no method.
    case unknown
}
