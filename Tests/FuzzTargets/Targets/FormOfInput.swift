import LatchkeySelfService

/// Returns the form that is shown again after a submission, or `nil` if there is none.
private func form<Input>(of input: FlowInput<Input>, valid: (Input) -> Form?) -> Form? {
    switch input {
    case .valid(let input): valid(input)
    case .refused(let form): form
    case .disabled: nil
    }
}

extension FlowInput<LoginInput> {
    var form: Form? {
        FuzzTargets.form(of: self) { input in
            switch input {
            case .password(_, _, let form), .sendCode(_, let form), .checkCode(_, _, let form): form
            }
        }
    }
}

extension FlowInput<RegistrationInput> {
    var form: Form? {
        FuzzTargets.form(of: self) { input in
            switch input {
            case .password(_, _, _, let form), .sendCode(_, _, let form), .checkCode(_, _, let form),
                .profile(_, let form), .back(let form):
                form
            }
        }
    }
}

extension FlowInput<SettingsInput> {
    var form: Form? {
        FuzzTargets.form(of: self) { input in
            if case .profile(_, let form) = input { form } else { nil }
        }
    }
}

extension FlowInput<ChallengeInput> {
    var form: Form? {
        FuzzTargets.form(of: self) { _ in nil }
    }
}
