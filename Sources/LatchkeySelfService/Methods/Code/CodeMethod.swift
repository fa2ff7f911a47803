import LatchkeyAccounts

/// One-time codes: to log in, to register, to recover an account and to verify an address.
struct CodeMethod: SignInMethod {
    static let name = AuthenticationMethod.code.name

    private let login: CodeLogin
    private let registration: CodeRegistration
    private let recovery: CodeRecovery
    private let verification: CodeVerification

    init(_ services: MethodServices) {
        login = CodeLogin(services)
        registration = CodeRegistration(services)
        recovery = CodeRecovery(services)
        verification = CodeVerification(services)
    }

    static func form(in kind: FlowKind, settings: FormSettings) -> (any MethodForm)? {
        switch kind {
        case .login: CodeLoginForm(settings: settings)
        case .registration: CodeRegistrationForm(settings: settings)
        case .recovery, .verification: ChallengeForm()
        default: nil
        }
    }

    func method(in kind: FlowKind) -> (any FlowMethod)? {
        switch kind {
        case .login: login
        case .registration: registration
        case .recovery: recovery
        case .verification: verification
        default: nil
        }
    }
}

extension FormSettings {
    /// Returns whether users of a schema can log in and register with codes.
    ///
    /// Codes are only offered if the schema has a field for an address that codes can be sent to.
    func offersCodes(by schema: IdentitySchema) -> Bool {
        isCodeEnabled && schema.fields.contains { $0.schema.codeChannel != nil }
    }
}
