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
