/// The ways that lead through a flow, as operator and identity schema have it.
package struct FlowMethods: Hashable, Sendable {
    /// Kratos's methods that other configurations of it have and this server does not.
    private static let others: Set<String> = ["oidc", "saml"]

    package let password: Bool
    package let code: Bool
    package let profile: Bool

    /// Finds the ways.
    ///
    /// - Parameters:
    ///   - kind: What the flow leads to.
    ///   - schema: Whose identities it is about.
    ///   - settings: The server's settings.
    package init(_ kind: FlowKind, _ schema: IdentitySchema, _ settings: ServerSettings) {
        let hasCodes = settings.codeEnabled && schema.fields.contains { $0.schema.codeChannel != nil }
        switch kind {
        case .login: (password, code, profile) = (settings.passwordEnabled, hasCodes, false)
        case .registration:
            (password, code) = (settings.passwordEnabled, hasCodes)
            profile = settings.registrationStyle == .profileFirst
        case .settings: (password, code, profile) = (settings.passwordEnabled, false, true)
        case .recovery, .verification: (password, code, profile) = (false, true, false)
        }
    }

    private init(password: Bool, code: Bool, profile: Bool) {
        (self.password, self.code, self.profile) = (password, code, profile)
    }

    /// Finds the ways through a flow; to a second factor there is none yet.
    package static func through(_ flow: Flow, _ schema: IdentitySchema, _ settings: ServerSettings)
        -> FlowMethods
    {
        guard flow.requestedAAL == "aal1" else {
            return FlowMethods(password: false, code: false, profile: false)
        }
        return FlowMethods(flow.kind, schema, settings)
    }

    /// Finds the way that a submission names.
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

/// The way that a submission names.
enum FlowMethod {
    case password
    case code
    case profile

    /// It exists, and is switched off here.
    case disabled

    /// There is no such way, or none was named.
    case unknown
}
