package import LatchkeyAccounts

/// The methods that a flow offers, based on the server's settings and the identity schema.
package struct FlowMethods: Hashable, Sendable {
    /// Methods that Kratos supports but this server doesn't.
    ///
    /// These methods are rejected as disabled rather than unknown.
    private static let others: Set<String> = ["oidc", "saml"]

    /// Whether the flow accepts a password.
    ///
    /// Login, registration and settings flows accept passwords, unless the operator has disabled them.
    package let password: Bool
    /// Whether the flow sends and accepts one-time codes.
    package let code: Bool
    /// Whether the flow accepts traits without a credential.
    ///
    /// This is `true` for settings flows and two-step registrations.
    package let profile: Bool

    /// Determines the methods for a kind of flow.
    ///
    /// Recovery and verification flows offer the `code` method even if the operator has disabled logins with
    /// codes.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - schema: The identity schema. Codes are only offered if the schema has a field for an address that
    ///     codes can be sent to.
    ///   - settings: The enabled methods and the registration style.
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

    /// Creates a set of methods, regardless of the settings.
    private init(password: Bool, code: Bool, profile: Bool) {
        (self.password, self.code, self.profile) = (password, code, profile)
    }

    /// Returns the methods that a flow offers.
    ///
    /// A flow that requests `aal2` doesn't offer any methods, because no second factor is supported yet.
    package static func through(_ flow: Flow, schema: IdentitySchema, settings: FormSettings)
        -> FlowMethods
    {
        guard flow.requestedAAL == .aal1 else {
            return FlowMethods(password: false, code: false, profile: false)
        }
        return FlowMethods(flow.kind, schema: schema, settings: settings)
    }

    /// Returns the method with the given name.
    ///
    /// Pass `nil` if the submission doesn't name a method.
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

/// The submitted method, checked against the methods that the flow offers.
enum FlowMethod {
    /// The user's password for a login, or a new password for a registration or settings change.
    case password
    /// A one-time code. The submission either requests a code or contains the code that was sent.
    case code
    /// Traits without a credential.
    case profile

    /// A known method that the flow doesn't offer.
    case disabled

    /// An unknown method, or no method at all.
    case unknown
}
