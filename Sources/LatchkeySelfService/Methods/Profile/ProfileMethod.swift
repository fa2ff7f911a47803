/// Traits without a credential: in the settings, and in the first step of a registration.
struct ProfileMethod: SignInMethod {
    static let name = MethodForms.profile

    private let registration: ProfileRegistration
    private let change: ProfileChange

    init(_ services: MethodServices) {
        registration = ProfileRegistration(services)
        change = ProfileChange(services)
    }

    static func form(in kind: FlowKind, settings: FormSettings) -> (any MethodForm)? {
        switch kind {
        case .registration: ProfileRegistrationForm(settings: settings)
        case .settings: ProfileChangeForm(settings: settings)
        default: nil
        }
    }

    func method(in kind: FlowKind) -> (any FlowMethod)? {
        switch kind {
        case .registration: registration
        case .settings: change
        default: nil
        }
    }
}
