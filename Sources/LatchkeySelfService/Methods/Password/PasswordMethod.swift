import LatchkeyAccounts

/// Passwords: to log in, to register, and to set or change one in the settings.
struct PasswordMethod: SignInMethod {
    static let name = AuthenticationMethod.password.name

    private let login: PasswordLogin
    private let registration: PasswordRegistration
    private let change: PasswordChange

    init(_ services: MethodServices) {
        login = PasswordLogin(services)
        registration = PasswordRegistration(services)
        change = PasswordChange(services)
    }

    static func form(in kind: FlowKind, settings: FormSettings) -> (any MethodForm)? {
        switch kind {
        case .login: PasswordLoginForm(settings: settings)
        case .registration: PasswordRegistrationForm(settings: settings)
        case .settings: PasswordChangeForm(settings: settings)
        default: nil
        }
    }

    func method(in kind: FlowKind) -> (any FlowMethod)? {
        switch kind {
        case .login: login
        case .registration: registration
        case .settings: change
        default: nil
        }
    }
}
