import LatchkeySelfService

extension LoginSubmission {
    /// The form that is shown again; nothing where none is.
    var form: Form? {
        switch self {
        case .password(_, _, let form), .sendCode(_, let form), .checkCode(_, _, let form),
            .refused(let form):
            form
        case .disabled: nil
        }
    }
}

extension RegistrationSubmission {
    /// The form that is shown again; nothing where none is.
    var form: Form? {
        switch self {
        case .password(_, _, let form), .sendCode(_, _, let form), .checkCode(_, _, let form),
            .profile(_, let form), .back(let form), .refused(let form):
            form
        case .disabled: nil
        }
    }
}

extension SettingsSubmission {
    /// The form that is shown again; nothing where none is.
    var form: Form? {
        switch self {
        case .profile(_, let form), .refused(let form): form
        case .password, .disabled: nil
        }
    }
}

extension ChallengeSubmission {
    /// The form that is shown again; nothing where none is.
    var form: Form? {
        if case .refused(let form) = self { form } else { nil }
    }
}
